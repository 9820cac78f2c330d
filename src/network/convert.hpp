#pragma once

#include "network/network.hpp"

namespace espalier::network {

/// These make a simpler model of a more detailed one; for the converse see to_links.hpp. Cycle
/// times are kept if they are known of all nodes. Each throws InputError if a parameter that it
/// needs is not known.

/// A grid with each node as a cluster of one: g(m) = start-up + m / bandwidth, L = 0. A node's
/// egress and ingress become capacities shared by its pairs.
[[nodiscard]] GridNetwork to_grid(const PairwiseNetwork& network);
/// The same, but that what a pair's start-up says passes in flight and keeps neither end busy: L =
/// start-up, g(m) = m / bandwidth; and egress and ingress are those of each cluster's node.
[[nodiscard]] GridNetwork to_grid_in_flight(const PairwiseNetwork& network);
/// A grid with each host as a cluster of one: L = the sum of latencies (and start-ups) on the path
/// that to_pairwise() takes, g(m) = m / the least bandwidth on it. A link becomes a capacity shared
/// by the pairs whose path crosses it, unless it is a backbone.
[[nodiscard]] GridNetwork to_grid(const LinksNetwork& network);
/// The costs between all nodes of all clusters at message size `bytes`: a send occupies g(bytes)
/// and is delivered after g + L, so start-up = L + g(bytes) - bytes / bandwidth with bandwidth =
/// bytes / g.
[[nodiscard]] PairwiseNetwork to_pairwise(const GridNetwork& network, Bytes bytes);
/// The nodes are the hosts. Messages take the listed routes, otherwise the paths of least latency,
/// then of fewest links: a pair's start-up is the sum of its path's latencies, its bandwidth the
/// least on the path.
[[nodiscard]] PairwiseNetwork to_pairwise(const LinksNetwork& network);
/// Sending times: each sender's mean time for a message of `bytes` to the others.
[[nodiscard]] SenderNetwork to_sender(const PairwiseNetwork& network, Bytes bytes);

/// The links from host to host (indices into `links`) along the route that is listed, else the
/// shortest; empty from a host to itself. `hosts` are indices into network.nodes. Throws InputError
/// for a host that can't be reached.
[[nodiscard]] std::vector<std::vector<std::vector<std::size_t>>> routes(
    const LinksNetwork& network, const std::vector<std::size_t>& hosts);

}  // namespace espalier::network
