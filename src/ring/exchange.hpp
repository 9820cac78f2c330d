#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"
#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <string>
#include <vector>

namespace espalier::ring {

/// What the hosts of a ring send each other in a step, as a total exchange: everyone to its
/// successor, then everyone to its predecessor; with fair sharing both at once. `platform` is what
/// the ring's numbers are about, `fabric` the network between the nodes of these `names`, which are
/// the ring's hosts and any others; its messages take the network's own routes. Throws InputError
/// where a message is not a whole number of bytes.
[[nodiscard]] schedule::Schedule exchange_schedule(const schedule::Ring& ring,
                                                   const network::LinksNetwork& platform,
                                                   const simulate::Fabric& fabric,
                                                   std::vector<std::string> names);

}  // namespace espalier::ring
