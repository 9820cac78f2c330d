#pragma once

#include "sender/result.hpp"

namespace espalier::sender {

/// The best schedule of some tens of nodes that are all, or nearly all, of different times, with a
/// proof, or as near to it as the limits allow, beginning with a known one. Searches all schedules
/// that are over before the best known, depth first, the earliest slot next (of a reduction
/// backwards in time, the latest). Prices are sought anew in every state; a state is given up where
/// at some prices its slots are worth less than the nodes that are left, or where one that was no
/// worse has failed. The bound is sound also where the search is cut short. The proof that comes
/// with it is of what prices alone exclude, which is less.
[[nodiscard]] Result distinct_search(const Problem& problem, const Limits& limits, Result known);

}  // namespace espalier::sender
