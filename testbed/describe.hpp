#pragma once

#include "testbed/topology.hpp"

#include <string>

namespace espalier::testbed {

/// What would be built, for people: hosts by cluster with what they send and receive, the queues
/// that several hosts share, and the path from each cluster to each.
[[nodiscard]] std::string describe(const Topology& topology);

/// `80 Mbit/s`, `1.2 Gbit/s`: three significant digits.
[[nodiscard]] std::string format_bits(BytesPerSecond rate);

}  // namespace espalier::testbed
