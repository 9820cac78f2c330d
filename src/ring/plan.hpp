#pragma once

#include "core/limits.hpp"
#include "network/network.hpp"
#include "ring/planner.hpp"
#include "schedule/ring.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace espalier::ring {

/// The ring that is asked for.
struct Request {
    double work = 0;      ///< W > 0
    double exchange = 0;  ///< H > 0
    /// A name of the ring family, or `auto`.
    std::string algorithm = "auto";
    Refinement refinement = Refinement::none;  ///< by planners that grow a ring
    /// Left out: widest paths, or shortest ones where sharing is fair.
    std::optional<PathChoice> paths;
    schedule::RingSharing sharing = schedule::RingSharing::reserved;
    Limits limits;  ///< the bound takes what the planner leaves, a tenth at least
    std::uint64_t seed = 1;
};

/// The physical network that a ring is planned on: links as they are; of a pairwise network and of
/// a grid, with the cycle times of its nodes, at messages of that many bytes (network::to_links()).
/// Throws InputError where the model says too little.
[[nodiscard]] network::LinksNetwork physical_network(const network::Network& network,
                                                     double exchange);

/// Plans a ring (legrand-2003, Definition 1) and bounds the step of all others. Throws InputError
/// for a network without hosts or in two parts, for times that lie too far apart (10^24), and where
/// no algorithm has that name. The result does not say which network it is for.
[[nodiscard]] schedule::Ring plan_ring(const network::LinksNetwork& network,
                                       const Request& request);

}  // namespace espalier::ring
