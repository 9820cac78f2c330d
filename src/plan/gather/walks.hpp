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

/// The best ring by steps between neighbours, by dynamic programming over how often each class of
/// like nodes was visited and where the walk is. Where a class's own nodes are within a threshold,
/// no ring within it needs that class more often than there are visits that it has to make
/// elsewhere, one in each other such class, and one for each node of the rest: what lies between
/// two visits contains one of those, or could be left out. nullopt: too many classes for that.
[[nodiscard]] std::optional<Walk> best_walk(const Problem& problem, Aim aim);

}  // namespace espalier::plan::gather
