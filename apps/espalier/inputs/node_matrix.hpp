#pragma once

#include "core/matrix.hpp"
#include "network/latency_csv.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::cli {

/// A CSV with one number >= 0 for each ordered pair of these nodes, in their order; empty where the
/// file says nothing (or 0, but on the diagonal). With names in the first row and column, the
/// file's nodes may stand in any order. Throws InputError naming the file where its nodes are not
/// these.
[[nodiscard]] Matrix<std::optional<double>> read_node_matrix(const std::string& path,
                                                             const std::vector<std::string>& names);

/// Reads a matrix in which 0 is a number like any other, and which may read `10ms` for `times`
/// (else seconds).
[[nodiscard]] Matrix<std::optional<double>> read_stated_matrix(
    const std::string& path, const std::vector<std::string>& names, network::StatedCells cells);

}  // namespace espalier::cli
