#include "inputs/block_row.hpp"

#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::cli {

namespace {

/// The place of each of `names` in the row.
std::vector<std::size_t> places_of(const std::vector<std::string>& row, const std::string& path,
                                   const std::vector<std::string>& names) {
    std::vector<std::size_t> places;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(row, name);
        if (found == row.end())
            throw InputError(path, "", fmt::format("the network's node '{}' is missing", name));
        if (std::find(found + 1, row.end(), name) != row.end())
            throw InputError(path, "", fmt::format("the name '{}' stands there twice", name));
        places.push_back(static_cast<std::size_t>(found - row.begin()));
    }
    return places;
}

}  // namespace

std::vector<Bytes> read_block_row(const std::string& path, const std::vector<std::string>& names) {
    const std::string text = read_file(path);
    const auto lines = csv_lines(text);
    if (lines.empty() || lines.size() > 2)
        throw InputError(path, "",
                         fmt::format("it has {} lines; a row of sizes was expected, or one of "
                                     "names and one of sizes",
                                     lines.size()));
    const auto require_count = [&](const std::vector<std::string>& row, const char* noun) {
        if (row.size() != names.size())
            throw InputError(path, "",
                             fmt::format("it has {} {}, and the network {} nodes", row.size(), noun,
                                         names.size()));
    };
    const char separator = csv_separator(lines.back());
    const auto sizes = csv_cells(lines.back(), separator);
    require_count(sizes, "sizes");
    std::vector<Bytes> blocks;
    for (std::size_t node = 0; node < names.size(); ++node)
        blocks.push_back(parse_bytes(sizes[node], path));
    if (lines.size() == 1) return blocks;
    const auto row = csv_cells(lines.front(), separator);
    require_count(row, "names");
    std::vector<Bytes> in_order;
    for (const std::size_t place : places_of(row, path, names)) in_order.push_back(blocks[place]);
    return in_order;
}

}  // namespace espalier::cli
