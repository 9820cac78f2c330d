#pragma once

#include "frontend/generating.hpp"
#include "network/network.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace espalier::frontend {

/// The option of one word, or the flag, of that name of `espalier generate`, such as `clusters` or
/// `cycle_times`; nullptr: there is none.
[[nodiscard]] std::string GenerateOptions::*find_generate_word(std::string_view name);
[[nodiscard]] bool GenerateOptions::*find_generate_flag(std::string_view name);

/// Whether a network's name says that each seed has one of its own: `generate:…`, or a file with
/// `{seed}` in its name.
[[nodiscard]] bool depends_on_seed(std::string_view name);

/// Whether it is made, not read: `generate:grid` or `generate:grid,clusters=20,symmetric`.
[[nodiscard]] bool is_drawn(std::string_view name);

/// What generate_network() makes of the words of such a name. Throws InputError naming it.
[[nodiscard]] network::Network draw_network(const std::string& name, std::uint64_t seed);

/// The name of the file of a seed.
[[nodiscard]] std::string name_of_seed(std::string name, std::uint64_t seed);

}  // namespace espalier::frontend
