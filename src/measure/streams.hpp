#pragma once

#include "measure/channel.hpp"
#include "measure/job_map.hpp"
#include "measure/method/sharing_plan.hpp"

#include <string>
#include <vector>

namespace espalier::measure {

/// This rank's part in rounds of streams, which were ordered a moment ago: each begins when it is
/// its time, or when the one before has ended here. All streams of a round run at once. A sender
/// goes on as its receiver tells it of what has arrived. It has more and more under way as long as
/// that is told soon, and less when it takes long: so a stream that is alone fills its link, while
/// queues stay short and every round ends soon. Returns what arrived here, for read_rounds().
[[nodiscard]] std::string run_rounds(const Channel& channel, const JobMap& job,
                                     const std::vector<StreamRound>& rounds);

/// What arrived in all rounds; `told`: what run_rounds() returned on each rank.
[[nodiscard]] std::vector<RoundWindows> read_rounds(const JobMap& job,
                                                    const std::vector<StreamRound>& rounds,
                                                    const std::vector<std::string>& told);

}  // namespace espalier::measure
