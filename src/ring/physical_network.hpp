#pragma once

#include "network/network.hpp"

namespace espalier::ring {

/// The physical network that a ring is planned on: links as they are; of a pairwise network and of
/// a grid, with the cycle times of its nodes, at messages of that many bytes (network::to_links()).
/// Throws InputError where the model says too little.
[[nodiscard]] network::LinksNetwork physical_network(const network::Network& network,
                                                     double exchange);

}  // namespace espalier::ring
