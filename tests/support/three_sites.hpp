#pragma once

#include "network/network.hpp"

#include <cstddef>
#include <vector>

namespace espalier::testing {

/// A link of 1000 B/s without start-ups; `latency` in seconds.
[[nodiscard]] network::PLogP link_of(double latency);

/// Three clusters of so many nodes, each with an uplink and a downlink of its own, of these rates
/// in B/s; from the first to the last the path by the one between them is the shorter one.
[[nodiscard]] network::GridNetwork three_sites(std::size_t nodes, const std::vector<double>& rates);

}  // namespace espalier::testing
