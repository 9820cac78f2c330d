#pragma once

#include "core/units.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::frontend {

/// The words of a list, `a,b`; none of an empty one. Throws InputError naming `where` for an empty
/// word.
[[nodiscard]] std::vector<std::string> split_list(std::string_view text, const std::string& where);

/// The sizes of a list of sizes and ranges, each once, in their order: `1KiB..1MiB` doubles from
/// the first to the last, `1KiB..1MiB:4` takes four times as much each time, and the last one is
/// always among them. Throws InputError naming `where`, also for more than a thousand.
[[nodiscard]] std::vector<Bytes> parse_sizes(std::string_view text, const std::string& where);

/// The numbers of a list of numbers and ranges, `1..20,100`, each once, in their order. Throws
/// InputError naming `where`, also for more than ten thousand.
[[nodiscard]] std::vector<std::uint64_t> parse_seeds(std::string_view text,
                                                     const std::string& where);

}  // namespace espalier::frontend
