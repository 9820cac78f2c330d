#pragma once

#include "measure/channel.hpp"
#include "measure/job_map.hpp"
#include "measure/method/sharing_plan.hpp"
#include "measure/method/train_port.hpp"

#include <memory>
#include <string>
#include <vector>

namespace espalier::measure {

/// This rank's part in rounds of streams. All streams of a round run at once. A sender goes on as
/// its receiver tells it of what has arrived. It has more and more under way as long as that is
/// told soon, and less when it takes long: so a stream that is alone fills its link, while queues
/// stay short and every round ends soon.
class StreamPlayer {
public:
    virtual ~StreamPlayer() = default;
    StreamPlayer(const StreamPlayer&) = delete;
    StreamPlayer& operator=(const StreamPlayer&) = delete;

    /// Plays rounds that rank 0 ordered a moment ago, each when it is its time; who hears of them
    /// early waits for those far away. Returns what arrived here, for read_rounds(), as soon as
    /// nothing more counts: what is still under way then arrives in the next call, or in finish().
    [[nodiscard]] virtual std::string play(std::vector<StreamRound> rounds) = 0;
    /// Waits until nothing is under way. To be called after the last rounds.
    virtual void finish() = 0;

protected:
    StreamPlayer() = default;
};

/// All must outlive it.
[[nodiscard]] std::unique_ptr<StreamPlayer> make_stream_player(const Channel& channel,
                                                               const JobMap& job,
                                                               TrainPort& trains);

/// What arrived in all rounds; `told`: what play() returned on each rank.
[[nodiscard]] std::vector<RoundWindows> read_rounds(const JobMap& job,
                                                    const std::vector<StreamRound>& rounds,
                                                    const std::vector<std::string>& told);

}  // namespace espalier::measure
