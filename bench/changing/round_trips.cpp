#include "round_trips.hpp"

#include "core/command.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace espalier::bench {

namespace {

constexpr double short_round_trip = 2.5e-3;  // s, of what is given as 0

struct Cell {
    std::size_t slice;  ///< from 0
    std::string from;
    std::string to;
    double latency;
};

std::string text_of(const std::string& path) {
    if (!path.ends_with(".gz")) return read_file(path);
    const CommandOutcome outcome = run_command({"zcat", path});
    if (outcome.status != 0) throw InputError(path, "", "zcat can't read it");
    return outcome.output;
}

std::vector<Cell> read_cells(const std::string& path) {
    const std::string text = text_of(path);
    const std::vector<std::string_view> lines = csv_lines(text);
    if (lines.empty() || lines.front() != "slice,from,to,rtt_s")
        throw InputError(path, "line 1", "expected slice,from,to,rtt_s");
    std::vector<Cell> cells;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::string where = fmt::format("line {}", i + 1);
        const std::vector<std::string> row = csv_cells(lines[i]);
        const std::string place = fmt::format("{}: {}", path, where);
        if (row.size() != 4) throw InputError(path, where, "expected four cells");
        if (row[3].empty() || row[1] == row[2]) continue;
        const double slice = parse_number(row[0], place);
        const double rtt = parse_number(row[3], place);
        if (!(slice >= 1 && slice <= 1e6) || !(rtt >= 0))
            throw InputError(path, where, "expected a slice from 1 and a round trip of at least 0");
        cells.push_back({static_cast<std::size_t>(slice) - 1, row[1], row[2],
                         (rtt > 0 ? rtt : short_round_trip) / 2});
    }
    if (cells.empty()) throw InputError(path, "", "no round trips");
    return cells;
}

/// n2 before n10.
bool comes_before(const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
}

}  // namespace

RoundTrips read_round_trips(const std::string& path) {
    const std::vector<Cell> cells = read_cells(path);
    RoundTrips found;
    std::size_t slices = 0;
    for (const Cell& cell : cells) {
        found.nodes.push_back(cell.from);
        found.nodes.push_back(cell.to);
        slices = std::max(slices, cell.slice + 1);
    }
    std::ranges::sort(found.nodes, comes_before);
    found.nodes.erase(std::unique(found.nodes.begin(), found.nodes.end()), found.nodes.end());
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < found.nodes.size(); ++i) index.emplace(found.nodes[i], i);

    const std::size_t size = found.nodes.size();
    std::vector<Matrix<std::optional<Seconds>>> known(slices,
                                                      Matrix<std::optional<Seconds>>(size, size));
    for (const Cell& cell : cells)
        known[cell.slice](index.at(cell.from), index.at(cell.to)) = Seconds(cell.latency);
    found.slices.assign(slices, Matrix<Seconds>(size, size));
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            const auto first = std::ranges::find_if(
                known, [&](const auto& slice) { return slice(i, j).has_value(); });
            if (first == known.end())
                throw InputError(
                    path, "",
                    fmt::format("no round trip from {} to {}", found.nodes[i], found.nodes[j]));
            Seconds latency = *(*first)(i, j);
            for (std::size_t s = 0; s < slices; ++s)
                found.slices[s](i, j) = latency = known[s](i, j).value_or(latency);
        }
    return found;
}

}  // namespace espalier::bench
