#pragma once

#include "network/network.hpp"

#include <string>

namespace espalier::network {

/// The operations of one unit of work on a host of a written SimGrid platform: a host with a cycle
/// time of 1 has a speed of this many flop/s.
inline constexpr double simgrid_flops_per_work = 1e9;

/// A SimGrid platform (XML) with the network's hosts, its links and, of each ordered pair of hosts,
/// the network's own route: what is listed, else the shortest. Links are SHARED, for directed ones
/// no route goes the other way; backbones are FATPIPE. A host's start-up is a FATPIPE link of its
/// own at the ends of its routes, with that latency. Throws InputError for a host that can't be
/// reached.
[[nodiscard]] std::string to_simgrid_xml(const LinksNetwork& network);

/// The hosts in the network's order, one a line, as `smpirun -hostfile` reads them.
[[nodiscard]] std::string to_hostfile(const LinksNetwork& network);

}  // namespace espalier::network
