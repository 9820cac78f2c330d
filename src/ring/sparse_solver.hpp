#pragma once

#include <cstddef>
#include <vector>

namespace espalier::ring {

/// Solves symmetric positive definite systems of a few hundred unknowns by elimination in the given
/// order, which skips what is 0.
class SparseSolver {
public:
    explicit SparseSolver(std::size_t size) : size_(size), cells_(size * size, 0) {}

    void clear() { cells_.assign(cells_.size(), 0); }
    /// row <= column: the other half is never looked at.
    [[nodiscard]] double& at(std::size_t row, std::size_t column) {
        return cells_[row * size_ + column];
    }
    void factor();
    /// In place.
    void solve(std::vector<double>& right) const;

private:
    std::size_t size_;
    std::vector<double> cells_;  // row by row
};

}  // namespace espalier::ring
