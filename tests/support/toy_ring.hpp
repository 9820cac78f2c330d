#pragma once

#include "network/network.hpp"
#include "schedule/ring_json.hpp"

namespace espalier::test {

/// The platform of Figure 1 of legrand-2003, with the bandwidths a = 6, b = 8, c = 5, d = 12,
/// e = 9, f = 10, g = 7, h = 4: hosts P1 to P5 with the cycle times 1 to 5, and the hosts Q and R
/// (6, 7) where links join.
[[nodiscard]] network::LinksNetwork toy_platform();

/// The ring P1 … P5 with the paths of its section 2.4, W = 100, H = 6: each path has the least of
/// the links' bandwidths divided by the number of paths in the link's own inequality of that
/// section, and shares make all hosts end together (Equation 4 is right here).
[[nodiscard]] schedule::StatedRing toy_ring();

}  // namespace espalier::test
