#pragma once

#include "core/matrix.hpp"
#include "network/network.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::network {

/// A square table of one value for each ordered pair of nodes, as it stands in a file: a latency, a
/// bandwidth, a number of hops. The row is the sender. Empty where nobody measured; the diagonal is
/// kept where it was written (inside a cluster, say).
struct PairTable {
    std::vector<std::string> names;
    Matrix<std::optional<double>> cells;
    bool named = true;  ///< the names stand in the file

    [[nodiscard]] std::size_t size() const { return names.size(); }
};

/// Reads a table from CSV: the first row and the first column name the nodes, in one order; a cell
/// that is empty, or 0 off the diagonal, was not measured. A file whose very first cell is a number
/// has no names at all: its nodes are n0, n1, …. Cells are divided by commas, or by blanks and tabs
/// where the first line has no comma. Throws InputError naming `source`, line and column: not
/// square, names that are empty, doubled or differ between row and column, cells that are negative
/// or no finite number.
[[nodiscard]] PairTable parse_pair_table(const std::string& text, const std::string& source);
[[nodiscard]] PairTable read_pair_table(const std::string& path);
/// Reads a table of values that were stated, not measured, so that 0 is a number like any other.
/// With `times`, cells may also read `10ms`; the result is in seconds.
enum class StatedCells { numbers, times };
[[nodiscard]] PairTable read_stated_table(const std::string& path, StatedCells cells);
/// The CSV that parse_pair_table reads; numbers come back exactly.
[[nodiscard]] std::string to_csv(const PairTable& table);

enum class TimeUnit { us, ms, s };
/// `us`, `ms` or `s`; throws InputError that names `where`.
[[nodiscard]] TimeUnit parse_time_unit(std::string_view text, const std::string& where);
[[nodiscard]] Seconds duration(TimeUnit unit);

/// Latencies become start-ups; no bandwidth is known.
[[nodiscard]] PairwiseNetwork to_pairwise(const PairTable& latencies, TimeUnit unit);

}  // namespace espalier::network
