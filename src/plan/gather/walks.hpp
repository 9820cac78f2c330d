#pragma once

#include "plan/gather/aim.hpp"

#include <optional>

namespace espalier::plan::gather {

/// A ring that visits classes of like nodes, each in few runs.
struct Walk {
    Order order;
    /// Proven: no ring has a faster slowest step, by steps between neighbours alone (a capacity
    /// that several of them share may make it slower).
    bool is_least = false;
};

/// The best ring by steps between neighbours. Nodes are sorted into classes of like nodes; dynamic
/// programming runs over the number of visits of each class so far and the class of the last node.
///
/// The number of visits is limited where any two nodes of a class are within the threshold of each
/// other. Between two visits of such a class the ring visits either a node outside all such
/// classes, or another such class for the first time; otherwise the two visits can be joined. So
/// one visit for each of those is enough. nullopt if there are too many classes.
[[nodiscard]] std::optional<Walk> best_walk(const Problem& problem, Aim aim);

}  // namespace espalier::plan::gather
