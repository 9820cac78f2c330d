#pragma once

#include "network/network.hpp"
#include "overview/overview.hpp"

namespace espalier::overview {

/// Adds to an overview what the network's `measured` tells of its origin, and what it and the
/// network leave open. Whatever else stands in `measured` is passed over.
void add_origin(Overview& overview, const network::Network& network);

}  // namespace espalier::overview
