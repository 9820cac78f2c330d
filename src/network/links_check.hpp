#pragma once

#include "network/network.hpp"

#include <string>

namespace espalier::network {

/// Throws InputError naming `source` and the field unless names are used once, numbers are finite
/// and positive (latencies and start-ups: not negative), links join two nodes that exist, and
/// routes, if there are any, are one for each ordered pair of hosts, at most one for other pairs,
/// and lead from where they begin to where they end. A link without ends may lead anywhere.
void check_links(const LinksNetwork& network, const std::string& source);

}  // namespace espalier::network
