#pragma once

#include "core/units.hpp"

#include <string>
#include <vector>

namespace espalier::cli {

/// A CSV with one row: the size of each node's block (`512`, `64KiB`), in the order of `names`; or
/// with a row of names before it, in any order. Throws InputError naming the file where it is not
/// one size for each of these nodes.
[[nodiscard]] std::vector<Bytes> read_block_row(const std::string& path,
                                                const std::vector<std::string>& names);

}  // namespace espalier::cli
