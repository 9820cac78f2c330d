#pragma once

#include "demands/problem.hpp"

namespace espalier::demands {

/// The critical node's messages choose their places first, then those with deadlines by due date,
/// slack, priority and mixtures of these (bhat-1998, 6.4), then the others, each as early as those
/// before it leave room; the best of all such sequences is improved by local search. Where nothing
/// of the kind is asked for, as an open shop.
[[nodiscard]] Found demands_first(const Problem& problem, const Limits& limits);

/// The same, but messages for whose deadlines the direct path is too slow go through nodes that
/// store them and pass them on, each on the way that is quickest with the ports as the messages
/// before it leave them; with Problem::relays, also where that makes the makespan less.
[[nodiscard]] Found staged(const Problem& problem, const Limits& limits);

}  // namespace espalier::demands
