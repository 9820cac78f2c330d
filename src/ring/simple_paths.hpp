#pragma once

#include "ring/platform.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::ring {

/// Every path from one host to another that visits no vertex twice, in the order of a depth-first
/// search; the listed route alone where the network lists them. nullopt where there are more than
/// `most`, or where looking for them takes more than a thousand times as many steps.
[[nodiscard]] std::optional<std::vector<Path>> simple_paths(const Platform& platform, Host from,
                                                            Host to, std::size_t most);

}  // namespace espalier::ring
