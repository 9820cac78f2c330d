#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// Total exchanges in which the blocks between two clusters travel together. A row is what one rank
/// has for one other cluster. Rows are brought to one or several coordinators, which send one
/// message each to as many in the other cluster, or each is sent as it is to some rank there; who
/// gets such a message hands the blocks out inside. Between clusters that share a link with many,
/// rows may go by way of a third. Levels nest: what is said of clusters holds for hosts in them.
[[nodiscard]] std::vector<schedule::Schedule> exchange_by_levels(const Problem& problem,
                                                                 Meter& meter);

}  // namespace espalier::plan::composed
