#pragma once

#include "core/meter.hpp"
#include "sender/result.hpp"

#include <optional>

namespace espalier::sender {

/// A good schedule and a bound on all, in time and memory about linear in the number of classes,
/// for problems with too many classes or sums of times for `optimal`, beginning with a known
/// schedule: classes are joined into some tens and times rounded down to thousands of ticks, which
/// makes nobody slower, and slot prices bound that (docs/sender.md, many distinct nodes). The order
/// in which nodes flow into slots at these prices makes the schedule, unless the known one is
/// better. Never claims to be optimal, but where the schedule meets the bound.
[[nodiscard]] Result many_classes(const Problem& problem, const Limits& limits, Result known);

/// The bound alone, soon and a little weaker. `horizon`: the makespan of some schedule. None where
/// times differ by too much to be whole ticks.
[[nodiscard]] std::optional<Proof> price_proof(const Problem& problem, double horizon,
                                               Meter& meter);

}  // namespace espalier::sender
