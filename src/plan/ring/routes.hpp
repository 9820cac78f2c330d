#pragma once

#include "plan/ring/platform.hpp"
#include "plan/ring/problem.hpp"

#include <span>

namespace espalier::plan::ring {

/// How the paths of a ring are found, where the network does not list its routes.
enum class PathChoice {
    widest,    ///< of each pair, the path whose narrowest link is widest
    shortest,  ///< of each pair, the path of least latency: what a network takes by itself
    all,       ///< any simple path
};

/// A path of greatest bottleneck from one host to another, with what is left of each link's
/// bandwidth (`left`, indexed by link); among those of least latency, then fewest links, then
/// lowest numbers. Backbone links count in full. O(E log V). A listed route is taken as it is.
[[nodiscard]] Path widest_path(const Platform& platform, std::span<const double> left, Host from,
                               Host to);

/// Of every ordered pair: the listed route, else the widest path in the empty network.
[[nodiscard]] RouteTable widest_routes(const Platform& platform);
/// The listed route, else the path of least latency, then fewest links.
[[nodiscard]] RouteTable shortest_routes(const Platform& platform);

}  // namespace espalier::plan::ring
