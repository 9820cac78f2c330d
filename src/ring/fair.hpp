#pragma once

#include "ring/planner.hpp"

#include <span>
#include <vector>

namespace espalier::ring {

/// A ring for links that share their bandwidth fairly, along the problem's routes: a program can't
/// choose them. Anneals from the best of the greedy ring, the fastest host and `starts`, by moving,
/// exchanging, adding and leaving out hosts, until the limits are used up; each ring is judged by
/// its simulated steps with its work divided for them. The step time that it hands out is that of
/// thoroughly balanced shares in the steady state.
[[nodiscard]] Found plan_fair(const Problem& problem, const Settings& settings,
                              std::span<const std::vector<Host>> starts = {});

}  // namespace espalier::ring
