#pragma once

#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/job.hpp"
#include "plan/request.hpp"

#include <memory>

namespace espalier::bench {

/// A collective to plan, and the network that it is planned on.
struct Instance {
    std::shared_ptr<const network::GridNetwork> grid;
    std::shared_ptr<const network::GridView> view;
    plan::Job job;
    plan::Request request;
};

/// A random job: two to eight sites of 1 to 16 hosts, 4 to 100 hosts in all; Ethernet of 1, 10 or
/// 25 Gbit/s inside, 1 to 80 ms and 50 Mbit/s to 10 Gbit/s between two sites, half of the networks
/// with an uplink and a downlink that all a site's messages share. Any collective of one size, 8
/// bytes to 4 MiB, one rank a host.
[[nodiscard]] Instance random_instance(Random& random);

}  // namespace espalier::bench
