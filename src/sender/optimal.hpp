#pragma once

#include "sender/result.hpp"

namespace espalier::sender {

/// The best schedule that there is, with a proof, or as near to it as the time allows: slot prices
/// bound the makespan from below (docs/sender.md), a search over the slots meets the bound or
/// proves that nothing can. Until time is up it narrows down both.
///
/// `optimal`: the schedule's makespan is the bound, within 1e-12 of it where times are not whole in
/// ticks. Without a time limit that proof may take exponential time.
[[nodiscard]] Result optimal(const Problem& problem, const Limits& limits);

}  // namespace espalier::sender
