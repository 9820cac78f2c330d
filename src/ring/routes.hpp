#pragma once

#include "ring/platform.hpp"
#include "ring/problem.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::ring {

/// How the paths of a ring are found, if the network does not list its routes.
enum class PathChoice {
    widest,    ///< of each pair, the path whose narrowest link is widest
    shortest,  ///< of each pair, the path of least latency: what a network takes by itself
    all,       ///< any simple path
};

/// The route of every ordered pair: the listed one, else the path of greatest bottleneck in the
/// empty network; among those the one of least latency, then fewest links, then lowest numbers.
/// Backbone links count in full.
[[nodiscard]] RouteTable widest_routes(const Platform& platform);
/// The listed route, else the path of least latency, then fewest links.
[[nodiscard]] RouteTable shortest_routes(const Platform& platform);

/// Every path from one host to another that visits no vertex twice, in the order of a depth-first
/// search; the listed route alone where the network lists them. nullopt where there are more than
/// `most`, or where looking for them takes more than a thousand times as many steps.
[[nodiscard]] std::optional<std::vector<Path>> simple_paths(const Platform& platform, Host from,
                                                            Host to, std::size_t most);

}  // namespace espalier::ring
