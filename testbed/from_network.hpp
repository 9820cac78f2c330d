#pragma once

#include "network/network.hpp"
#include "testbed/topology.hpp"

#include <string>

namespace espalier::testbed {

/// A testbed on which messages cost what a network says. Its rates are what a program gets of a
/// link; queues count bytes on the wire, so that theirs are 1538/1448 of it. Names of hosts become
/// host names (builder.hpp). Throws InputError that names `source`.
///
/// - `grid`: the latency of a message of no bytes, L + g(0) by the gap's slope, whose inverse is
///   the rate of a pair. A host sends and receives at the greatest rate of any of its pairs; slower
///   pairs have a queue each, and `shared` is one for all of its pairs.
/// - `pairwise`: the start-up is the latency; likewise, but what a host sends and receives is its
///   egress and ingress where they are stated.
/// - `links`: a queue for each link (one for both directions of a bidirectional one; of a backbone,
///   one for each ordered pair of hosts), along the listed routes, else the shortest.
[[nodiscard]] Topology from_network(const network::Network& network, const std::string& source);

}  // namespace espalier::testbed
