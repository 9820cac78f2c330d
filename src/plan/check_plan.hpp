#pragma once

#include "network/network.hpp"
#include "simulate/check.hpp"

namespace espalier::plan {

/// Checks a schedule file against a network. A schedule between clusters also has to say how each
/// cluster of several nodes spreads the message inside: for no less than a known broadcast time,
/// and where its strategy is one of ours, the whole is built again down to ranks and simulated. So
/// is the percentile of the makespan that it states, in all scenarios.
/// Throws InputError where the schedule's nodes are not the network's.
[[nodiscard]] simulate::Check check_plan(const schedule::StatedPlan& stated,
                                         const network::Network& network,
                                         const std::string& source);

}  // namespace espalier::plan
