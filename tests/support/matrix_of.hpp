#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::test {

/// A square matrix, written row by row.
[[nodiscard]] inline Matrix<double> matrix_of(const std::vector<std::vector<double>>& rows) {
    Matrix<double> matrix(rows.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows.size(); ++j) matrix(i, j) = rows[i][j];
    return matrix;
}

}  // namespace espalier::test
