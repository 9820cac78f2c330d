#pragma once

#include "schedule/json.hpp"
#include "simulate/fabric.hpp"
#include "simulate/use.hpp"

namespace espalier::simulate {

/// The result of checking a schedule against a network.
struct Check {
    /// Why it is invalid, naming node, chunk and transfer; nullopt: it is valid.
    std::optional<std::string> violation;
    /// The simulator's timeline of the same order, where it could be made.
    schedule::Timeline timeline;
    /// Of the makespan, the percentile that the schedule states, where that was computed again.
    std::optional<Seconds> robust = std::nullopt;
};

/// Does it do its job (schedule::find_violation), can it be performed, and are the times that it
/// states possible: no transfer shorter than its cost, none before its data, no port and no shared
/// capacity over its limit, no more nodes engaged in a reduction than there are, no makespan but
/// the end of the last? `fabric` is the network as the schedule's nodes see it. A schedule between
/// groups states how long its local parts take.
[[nodiscard]] Check check(const schedule::StatedPlan& stated, const Fabric& fabric);

}  // namespace espalier::simulate
