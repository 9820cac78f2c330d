#pragma once

#include "core/limits.hpp"
#include "network/network.hpp"
#include "schedule/timeline.hpp"
#include "sender/paper_search.hpp"
#include "sender/problem.hpp"
#include "sender/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::sender {

/// A broadcast or a reduction of one unit message among nodes that differ in their sending times.
struct Request {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::optional<std::size_t> root;  ///< a node of the network; see make_problem
    std::size_t ports = 1;
    /// A name of the sender family, or `auto`: what proves the most within the limits.
    std::string algorithm = "auto";
    Limits limits;
    std::optional<Techniques> techniques;  ///< of paper-search, which it then has to be
};

/// A plan by classes of nodes: it takes no memory per node until it is expanded. All times are in
/// the network's own unit.
struct Plan {
    Problem problem;
    Result result;  ///< with a lower bound, whatever the algorithm
    std::string algorithm;
    std::size_t root = 0;  ///< the node

    /// Node by node: the schedule and its simulated times. `network` is the one it was planned for.
    [[nodiscard]] schedule::Plan expand(const network::Network& network) const;
};

/// Throws InputError for a name that the family does not have for this kind.
[[nodiscard]] Plan make_plan(const network::SenderNetwork& network, const Request& request);

}  // namespace espalier::sender
