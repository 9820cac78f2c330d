#pragma once

#include "sender/result.hpp"

namespace espalier::sender {

/// The best schedule of some tens of nodes that are all, or nearly all, of different times, with a
/// proof, or as near to it as the limits allow: exchanges in the sequence find a good schedule, and
/// a search of the states that prices leave open (deadline_search.hpp) beats it or proves that
/// nothing does. The bound is sound also where the search is cut
/// short. The proof that comes with it is of what prices alone exclude, which is less.
[[nodiscard]] Result distinct_search(const Problem& problem, const Limits& limits);

}  // namespace espalier::sender
