#pragma once

#include "measure/channel.hpp"
#include "measure/job_map.hpp"
#include "measure/method/orders.hpp"

#include <vector>

namespace espalier::measure {

/// This rank's waits in a step, in seconds (LatencyPlan::record()); for rounds in which it rests
/// they mean nothing, and where it is in no group there are none. All ranks call it.
[[nodiscard]] std::vector<float> play(const Channel& channel, const JobMap& job,
                                      const LatencyPart& part);

}  // namespace espalier::measure
