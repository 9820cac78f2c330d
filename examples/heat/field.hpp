#pragma once

#include <cstddef>
#include <vector>

namespace heat {

/// Some neighbouring columns of the grid, and one more on each side, which belongs to a neighbour.
/// Columns lie in memory one after the other; beyond the first and the last row it is cold.
class Field {
public:
    Field(int rows, int columns);

    [[nodiscard]] int columns() const { return columns_; }
    [[nodiscard]] std::size_t cells() const { return rows_ * static_cast<std::size_t>(columns_); }
    /// Column -1 is the predecessor's last, column columns() the successor's first.
    [[nodiscard]] double* column(int index) {
        return values_.data() + rows_ * static_cast<std::size_t>(index + 1);
    }
    [[nodiscard]] const double* column(int index) const {
        return values_.data() + rows_ * static_cast<std::size_t>(index + 1);
    }

    /// The grid's columns from `first` on, as they are before the first step.
    void heat_up(int first);
    /// Computes one step from `before`, whose neighbouring columns must be there, too.
    void step_from(const Field& before);

private:
    std::size_t rows_;
    int columns_;
    std::vector<double> values_;
};

/// The whole grid after so many steps, by one process.
[[nodiscard]] Field run_serially(int rows, int columns, int steps);

}  // namespace heat
