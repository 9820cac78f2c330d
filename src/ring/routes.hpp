#pragma once

#include "ring/platform.hpp"
#include "ring/problem.hpp"

namespace espalier::ring {

/// How the paths of a ring are found, where the network does not list its routes.
enum class PathChoice {
    widest,    ///< of each pair, the path whose narrowest link is widest
    shortest,  ///< of each pair, the path of least latency: what a network takes by itself
    all,       ///< any simple path
};

/// For every ordered pair the listed route, else the path of greatest bottleneck in the empty
/// network; among those the one of least latency, then fewest links, then lowest numbers. Backbone
/// links count in full.
[[nodiscard]] RouteTable widest_routes(const Platform& platform);
/// The listed route, else the path of least latency, then fewest links.
[[nodiscard]] RouteTable shortest_routes(const Platform& platform);

}  // namespace espalier::ring
