#pragma once

#include "schedule/collective.hpp"
#include "simulate/bounds.hpp"
#include "simulate/fabric.hpp"

#include <vector>

namespace espalier::plan {

/// A time that no schedule for the collective beats, however data is cut, joined and passed on
/// (scope any), where each node takes part in `ports` sends, and in as many receives, at once.
/// Links whose cost is not known are taken as absent. docs/bounds.md derives it for each kind.
///
/// `inner`, of a broadcast or a reduction: what each node still needs once it holds the message, or
/// needs before it has one (a cluster's own broadcast or reduction); empty: nothing.
///
/// Within the budget each kind of bound looks first at what is likely to say most. What it does not
/// come to leaves the bound lower, down to 0.
[[nodiscard]] Seconds collective_bound(const simulate::Fabric& fabric,
                                       const schedule::Collective& collective, std::size_t ports,
                                       const std::vector<Seconds>& inner = {},
                                       const Limits& budget = simulate::bound_budget);

}  // namespace espalier::plan
