#pragma once

#include "network/network.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::simgrid_platform {

/// The most routes that are listed in a file.
constexpr std::size_t most_routes = 1'000'000;

/// A SimGrid platform as libsimgrid itself reads it: hosts with the cycle time of one of their
/// cores (1 / speed, so that a unit of work is a flop), the links that are between them, and the
/// route of each ordered pair. Shared links count both directions together, a split-duplex one is
/// two links, a fat pipe is a backbone. With `patterns` (as of a shell, such as `*.lyon.*`), only
/// hosts whose name fits one. Throws InputError naming the file, and where SimGrid tells it the
/// line; where a part is used that `links` can't say; and where there are too many routes.
[[nodiscard]] network::LinksNetwork read_platform(const std::string& path,
                                                  const std::vector<std::string>& patterns);

}  // namespace espalier::simgrid_platform
