#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <string>
#include <vector>

namespace espalier::ring {

/// The messages of the hosts of a ring in one step, as a total exchange: every host sends to its
/// successor, then to its predecessor; with fair sharing to both at once. `platform` is the network
/// of the ring; `fabric` is that between the nodes of these `names`, which are the ring's hosts and
/// any others, and messages take its own routes. Throws InputError if a message is not a whole
/// number of bytes.
[[nodiscard]] schedule::Schedule exchange_schedule(const schedule::Ring& ring,
                                                   const network::LinksNetwork& platform,
                                                   const simulate::Fabric& fabric,
                                                   std::vector<std::string> names);

}  // namespace espalier::ring
