#pragma once

#include "network/network.hpp"
#include "plan/grid/problem.hpp"
#include "schedule/schedule.hpp"

namespace espalier::test {

/// The order as a schedule between clusters, each with its inner broadcast as a known time.
[[nodiscard]] schedule::Schedule schedule_of(const plan::grid::Problem& problem,
                                             const plan::grid::Order& order);

/// The problem as a network whose costs do not depend on size.
[[nodiscard]] network::Network network_of(const plan::grid::Problem& problem);

}  // namespace espalier::test
