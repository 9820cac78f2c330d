#pragma once

#include "network/network.hpp"
#include "ring/plan.hpp"
#include "schedule/ring.hpp"
#include "schedule/timeline.hpp"

#include <string>

namespace espalier::frontend {

/// A ring that is to be planned, as people say it: each field is the option of that name of
/// `espalier ring`.
struct RingSearchOptions {
    std::string work;
    std::string exchange;
    std::string algorithm = "auto";
    std::string refine = "none";
    std::string paths;  ///< empty: the usual ones
    std::string sharing = "reserved";
    std::string time_limit = "5s";
    std::string seed = "1";
};

/// Throws InputError naming the option.
[[nodiscard]] ring::Request request_of(const RingSearchOptions& options);

/// A ring, and the physical network whose nodes and links it numbers.
struct PlannedRing {
    network::LinksNetwork platform;
    schedule::Ring ring;
};
/// Plans a ring, and checks it as any other: a planner's claims are not trusted. Throws InputError
/// naming `network_file`.
[[nodiscard]] PlannedRing search_ring(const network::Network& network,
                                      const std::string& network_file,
                                      const ring::Request& request);

/// The messages of a step as a total exchange between the network's nodes, the nodes of all
/// clusters in a grid, with what no order of its messages beats.
[[nodiscard]] schedule::Plan exchange_of(const PlannedRing& planned,
                                         const network::Network& network);

}  // namespace espalier::frontend
