#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace espalier {

/// A dense matrix, row by row. Row i, column j is what it costs or carries from i to j.
template <typename T>
class Matrix {
public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns, T fill = T{})
        : rows_(rows), columns_(columns), cells_(rows * columns, std::move(fill)) {}

    [[nodiscard]] std::size_t rows() const { return rows_; }
    [[nodiscard]] std::size_t columns() const { return columns_; }

    [[nodiscard]] const T& operator()(std::size_t row, std::size_t column) const {
        assert(row < rows_ && column < columns_);
        return cells_[row * columns_ + column];
    }
    [[nodiscard]] T& operator()(std::size_t row, std::size_t column) {
        assert(row < rows_ && column < columns_);
        return cells_[row * columns_ + column];
    }

    [[nodiscard]] std::span<const T> row(std::size_t row) const {
        assert(row < rows_);
        return std::span(cells_).subspan(row * columns_, columns_);
    }

private:
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::vector<T> cells_;
};

}  // namespace espalier
