#pragma once

#include "plan/gather/problem.hpp"
#include "plan/limits.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <string>
#include <vector>

namespace espalier::plan {

/// What is to be gathered, and how that is to be planned.
struct GatherRequest {
    Bytes block;  ///< of each node, for all others
    /// A name of the all-gather family, or `auto`: of those that are tried the best, as simulated.
    std::string algorithm = "auto";
    std::size_t ports = 1;
    Limits limits;
};

/// An all-gather round a ring.
struct GatherPlan {
    schedule::Plan plan;
    gather::Order order;
    gather::Value value;
    /// No ring has a faster slowest step.
    Seconds slowest_bound;
};

/// Every node sends its own block to the next one in the ring, and then what it received last: step
/// by step, until all have all.
[[nodiscard]] schedule::Schedule make_ring_schedule(const gather::Order& order, Bytes block,
                                                    std::vector<std::string> names);

/// Plans and simulates an all-gather between the nodes of `fabric`. Throws InputError for an
/// unknown algorithm, and where a cost is not known.
[[nodiscard]] GatherPlan plan_gather(const simulate::Fabric& fabric,
                                     const std::vector<std::string>& names,
                                     const GatherRequest& request);

}  // namespace espalier::plan
