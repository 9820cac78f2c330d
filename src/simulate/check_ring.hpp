#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"
#include "schedule/ring_json.hpp"

#include <optional>
#include <string>

namespace espalier::simulate {

/// The result of checking a ring against a network.
struct RingCheck {
    /// Why it is invalid, naming host, path or link; nullopt: it is valid.
    std::optional<std::string> violation;
    /// The ring in the network's own numbers, with the step time recomputed; where it is valid.
    schedule::Ring ring;
};

/// Is it a ring of hosts with a path to each neighbour that the network has (along directed links
/// one way only, no vertex twice; the listed route where there are routes), no link over its
/// bandwidth, a share for each host, together 1, and a step that takes as long as it says
/// (legrand-2003, Equation 1, with start-ups and latencies; as simulated, where sharing is fair),
/// no less than its bound? Knows nothing of how rings are planned. Work and exchange of `stated`
/// must be there.
[[nodiscard]] RingCheck check_ring(const schedule::StatedRing& stated,
                                   const network::LinksNetwork& network);

}  // namespace espalier::simulate
