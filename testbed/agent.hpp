#pragma once

#include <string>
#include <vector>

namespace espalier::testbed {

/// Started under this name, the program takes the place of ssh: `NAME [options] HOST WORD...` runs
/// the words, joined, by a shell on the host.
inline constexpr const char* agent_name = "espalier-testbed-ssh";

/// The exit status of the command; 255 where it can't be run. `words` are without the name.
[[nodiscard]] int run_as_agent(const std::vector<std::string>& words);

}  // namespace espalier::testbed
