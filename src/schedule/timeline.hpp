#pragma once

#include "schedule/schedule.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace espalier::schedule {

/// A schedule with times. All times are from the start of the collective.
struct Timeline {
    struct Times {
        Seconds start;    ///< the sender's port is busy from here (first segment)
        Seconds sent;     ///< to here (last segment)
        Seconds arrival;  ///< the receiver's port is busy from here (first segment)
        Seconds end;      ///< to here: the receiver holds the last segment
    };
    struct Span {
        Seconds start;
        Seconds end;
    };
    std::vector<Times> transfers;     ///< one each, in the schedule's order
    std::vector<Span> local;          ///< one for each local part
    std::vector<Seconds> completion;  ///< per node: its last transfer or local part is over
    Seconds makespan;
};

/// The set of schedules over which a lower bound holds.
enum class BoundScope {
    whole_message,  ///< a node forwards only what it holds whole, along one tree
    any,            ///< segments, relays, several trees
};
[[nodiscard]] std::string_view name_of(BoundScope scope);

/// The percentiles of makespans by which plans can be compared. A plan that is good where costs are
/// below their medians is good by chance.
inline constexpr unsigned least_percentile = 50;
inline constexpr unsigned most_percentile = 99;

/// What a schedule takes if costs are not what they are stated to be but have their spreads.
struct Robust {
    unsigned percentile = 0;  ///< of the makespan, in scenarios (plan/scenarios.hpp)
    Seconds makespan;
    Seconds
        lower_bound;  ///< of the same percentile of any schedule's, in the plan's scope; 0: none
};

/// The result of a planner: the schedule, the simulator's timeline of exactly that schedule, and
/// lower bounds.
struct Plan {
    Schedule schedule;
    Timeline timeline;
    Seconds lower_bound;
    BoundScope scope = BoundScope::whole_message;
    bool optimal = false;  ///< proven, within the scope
    /// A lower bound that holds for schedules of any kind, beside one for whole messages; 0: not
    /// known.
    Seconds any_bound;
    /// Lower bounds for demands, within the scope: on when the critical node is done, and on the
    /// total weight of missed deadlines. 0: not known.
    Seconds critical_bound;
    double missed_bound = 0;
    std::optional<Robust> robust = std::nullopt;
};

}  // namespace espalier::schedule
