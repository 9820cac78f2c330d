#include "ring/sparse_solver.hpp"

#include <algorithm>
#include <limits>

namespace espalier::ring {

/// Leaves L' with a unit diagonal above the diagonal, and on it the inverse of D, of L D L'.
void SparseSolver::factor() {
    for (std::size_t pivot = 0; pivot < size_; ++pivot) {
        double* const from = cells_.data() + pivot * size_;
        // Rounding may have taken what was left of a row that others nearly imply.
        from[pivot] = 1 / std::max(from[pivot], std::numeric_limits<double>::min());
        for (std::size_t row = pivot + 1; row < size_; ++row) {
            if (from[row] == 0) continue;
            const double factor = from[row] * from[pivot];
            double* const to = cells_.data() + row * size_;
            for (std::size_t column = row; column < size_; ++column)
                to[column] -= factor * from[column];
        }
        for (std::size_t row = pivot + 1; row < size_; ++row) from[row] *= from[pivot];
    }
}

void SparseSolver::solve(std::vector<double>& right) const {
    for (std::size_t pivot = 0; pivot < size_; ++pivot) {
        const double* const from = cells_.data() + pivot * size_;
        for (std::size_t row = pivot + 1; row < size_; ++row)
            right[row] -= from[row] * right[pivot];
    }
    for (std::size_t pivot = size_; pivot-- > 0;) {
        const double* const from = cells_.data() + pivot * size_;
        double value = right[pivot] * from[pivot];
        for (std::size_t row = pivot + 1; row < size_; ++row) value -= from[row] * right[row];
        right[pivot] = value;
    }
}

}  // namespace espalier::ring
