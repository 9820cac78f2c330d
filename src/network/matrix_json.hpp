#pragma once

#include "core/json_reader.hpp"
#include "core/matrix.hpp"
#include "network/network.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

namespace espalier::network {

/// A square matrix of rows of cells: the diagonal is ignored, and where there is null nothing is
/// known. `read` makes a cell of a JsonValue.
template <typename Cell, typename Read>
Matrix<std::optional<Cell>> read_matrix(const JsonValue& value, std::size_t size, Read read) {
    Matrix<std::optional<Cell>> matrix(size, size);
    const auto rows = value.array(size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto row = rows[i].array(size);
        for (std::size_t j = 0; j < size; ++j)
            if (i != j && !row[j].is_null()) matrix(i, j) = read(row[j]);
    }
    return matrix;
}

/// A relative spread.
inline double read_spread(const JsonValue& value) {
    const double spread = value.number();
    if (spread > most_spread) value.fail(fmt::format("{} is over {}", spread, most_spread));
    return spread;
}

/// The reverse of read_matrix(); 0 on the diagonal, what `cell(i, j)` yields elsewhere.
template <typename Write>
Json matrix_json(std::size_t size, Write cell) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < size; ++i) {
        Json row = Json::array();
        for (std::size_t j = 0; j < size; ++j) row.push_back(i == j ? Json(0) : cell(i, j));
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace espalier::network
