#pragma once

#include "demands/problem.hpp"

#include <string>
#include <vector>

namespace espalier::demands {

/// What a schedule made earlier says about a problem between nodes of these names, which may be
/// others, or in another order: its transfers of messages that are still to be sent. A message of
/// which a relay is gone goes straight. Throws InputError where the schedule is not of a total
/// exchange.
[[nodiscard]] Order adopt(const Problem& problem, const std::vector<std::string>& names,
                          const schedule::Schedule& old);

}  // namespace espalier::demands
