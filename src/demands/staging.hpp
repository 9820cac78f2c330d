#pragma once

#include "demands/planner.hpp"

namespace espalier::demands {

/// Messages for whose deadlines the direct way is too slow go through nodes that store them and
/// pass them on (bhat-1998, 6.4), each on the way that is quickest with the ports as the messages
/// before it leave them; with Problem::relays, also where that makes the makespan less.
[[nodiscard]] Found staged(const Problem& problem, const Limits& limits);

}  // namespace espalier::demands
