#pragma once

#include "measure/channel.hpp"
#include "measure/job_map.hpp"
#include "measure/method/latency_step.hpp"
#include "measure/method/orders.hpp"

namespace espalier::measure {

/// What this rank timed in a step; for rounds in which it rests it means nothing, and where it is
/// in no group there is nothing. All ranks call it.
[[nodiscard]] Timed play(const Channel& channel, const JobMap& job, const LatencyPart& part);

}  // namespace espalier::measure
