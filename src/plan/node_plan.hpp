#pragma once

#include "network/network.hpp"
#include "plan/algorithm.hpp"
#include "plan/limits.hpp"
#include "plan/node/problem.hpp"
#include "plan/node/result.hpp"
#include "schedule/timeline.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {

/// A broadcast or a reduction of one unit message among nodes that differ in their sending times.
struct NodeRequest {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::optional<std::size_t> root;  ///< a node of the network; see node::make_problem
    std::size_t ports = 1;
    /// A name of the sender family, or `auto`: what proves the most within the limits.
    std::string algorithm = "auto";
    Limits limits;
};

/// A plan by classes of nodes: it takes no memory per node until it is expanded. All times are in
/// the network's own unit.
struct NodePlan {
    node::Problem problem;
    node::Result result;  ///< with a lower bound, whatever the algorithm
    std::string algorithm;
    std::size_t root = 0;  ///< the node

    /// Node by node: the schedule and its simulated times. `network` is the one it was planned for.
    [[nodiscard]] schedule::Plan expand(const network::Network& network) const;
};

/// Throws InputError for a name that the family does not have for this kind.
[[nodiscard]] NodePlan plan_nodes(const network::SenderNetwork& network,
                                  const NodeRequest& request);

/// Of the plan that this algorithm makes; for planners that need more than limits.
[[nodiscard]] NodePlan finish_node_plan(const network::SenderNetwork& network,
                                        const NodeRequest& request, node::Problem problem,
                                        node::Result result);

/// A time that no schedule beats, found at once. Broadcast: times rounded down to powers of two
/// of a common base make a cluster for which fastest first is optimal (liu-2002, Theorem
/// 4.5 and Lemma 4.8); the best of several bases. On several ports, and for reductions: as if all
/// nodes but the root were as fast as the fastest, and no less than the slowest sender takes.
[[nodiscard]] double quick_bound(const node::Problem& problem);

}  // namespace espalier::plan
