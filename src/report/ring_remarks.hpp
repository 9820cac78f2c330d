#pragma once

#include "schedule/schedule.hpp"
#include "simulate/fabric.hpp"

#include <string>

namespace espalier::report {

/// The ring that an all-gather goes round, its slowest step and how far that is from the fastest of
/// all rings; empty where it goes round none.
[[nodiscard]] std::string ring_remarks(const schedule::Schedule& schedule,
                                       const simulate::Fabric& fabric);

}  // namespace espalier::report
