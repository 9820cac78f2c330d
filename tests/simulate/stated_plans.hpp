#pragma once

#include "network/network.hpp"
#include "schedule/schedule.hpp"
#include "simulate/check.hpp"
#include "simulate/fabric.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace espalier::simulate::stated {

inline schedule::StatedPlan planned(const schedule::Schedule& schedule,
                                    const network::Network& network) {
    schedule::StatedPlan stated;
    stated.plan.schedule = schedule;
    stated.plan.timeline = simulate(schedule, *make_fabric(network));
    stated.has_times = true;
    stated.has_makespan = true;
    return stated;
}

inline std::string fault_of(const schedule::StatedPlan& stated, const network::Network& network) {
    return check(stated, *make_fabric(network)).violation.value_or("");
}

/// The fault of a simulated plan with one thing changed; the makespan is kept up to date.
inline std::string fault_after(const schedule::Schedule& schedule, const network::Network& network,
                               const std::function<void(schedule::StatedPlan&)>& change) {
    schedule::StatedPlan stated = planned(schedule, network);
    change(stated);
    Seconds end(0);
    for (const auto& times : stated.plan.timeline.transfers) end = std::max(end, times.end);
    for (const auto& span : stated.plan.timeline.local) end = std::max(end, span.end);
    stated.plan.timeline.makespan = end;
    return fault_of(stated, network);
}

inline void shift(schedule::Timeline::Times& times, double by) {
    times.start += Seconds(by);
    times.end += Seconds(by);
}

}  // namespace espalier::simulate::stated
