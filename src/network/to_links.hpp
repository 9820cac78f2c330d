#pragma once

#include "network/network.hpp"

namespace espalier::network {

/// These make a links network that costs the same as a simpler model: each node is a vertex, a host
/// if its cycle time is known, and there is one listed route for each ordered pair. Each throws
/// InputError where the cost of a pair is not known.

/// A complete graph: a directed link for each ordered pair, with its bandwidth, and its start-up as
/// latency. Where a node's egress or ingress is capped, all its routes cross a link of that
/// bandwidth, which has no ends.
[[nodiscard]] LinksNetwork to_links(const PairwiseNetwork& network);
/// A links network with every node of every cluster as a vertex, for messages of `bytes`. A route
/// crosses what its sender can send and its receiver receive, each a link of the greatest rate that
/// the node has with any other; the shared capacities that it draws on; and the backbone of its
/// ordered pair of clusters, or of its cluster, on which each path has bytes / g(bytes) and the
/// latency L(bytes). No link has ends. So a message by itself takes L + g, and two share what they
/// share on the grid.
[[nodiscard]] LinksNetwork to_links(const GridNetwork& network, Bytes bytes);

}  // namespace espalier::network
