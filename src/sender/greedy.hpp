#pragma once

#include "sender/result.hpp"

namespace espalier::sender {

/// Fastest node first: whoever can deliver the earliest delivers to the fastest node that waits
/// (liu-2002, section 3; Banikazemi, Moorthy and Panda). A root that may be any node is a fastest
/// one. Optimal for two classes where the root may be any node, and where each time is a multiple
/// of every faster one.
[[nodiscard]] Result fastest_node_first(const Problem& problem, const Limits& limits = {});

/// Slowest node first: nodes start to send in the order of their times, the slowest first, each as
/// soon as it and a receiver are free (liu-2000, section 4).
[[nodiscard]] Result slowest_node_first(const Problem& problem, const Limits& limits = {});

/// The one of the two that is for the problem's kind; searches begin with it.
[[nodiscard]] Result greedy(const Problem& problem, const Limits& limits = {});

}  // namespace espalier::sender
