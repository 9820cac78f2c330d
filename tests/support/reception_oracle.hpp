#pragma once

#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <vector>

namespace espalier::test {

/// When a transfer starts and when it has been received, in seconds.
struct Span {
    double start = 0;
    double end = 0;
};

/// Schedules of whole messages, interleaved or buffered (schedule::Reception), step by step in time
/// from the definitions: at every moment at which something may happen, every message is asked
/// whether it can start. Shared capacities and local parts are left out. Empty if it gets stuck.
[[nodiscard]] std::vector<Span> naive_reception(const schedule::Schedule& schedule,
                                                const simulate::Fabric& fabric);

}  // namespace espalier::test
