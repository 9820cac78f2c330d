#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace espalier::demands {

/// When it is looked at how far a running exchange is.
enum class Checkpoints {
    never,
    half,   ///< when half of what was left at the last one has ended: O(log M) of M messages
    every,  ///< whenever a message has ended
};
[[nodiscard]] std::string_view name_of(Checkpoints checkpoints);

/// What is known there.
enum class Knowledge {
    progress,   ///< which messages have started and ended; of others, the estimates stay
    directory,  ///< the directory is asked anew: also what those that are left will truly take
};
[[nodiscard]] std::string_view name_of(Knowledge knowledge);

/// The first checkpoint after `now`, where messages will end at `ends` (those that ended by now
/// among them, in any order); nullopt: there is none before all have ended. Seconds.
[[nodiscard]] std::optional<double> next_checkpoint(Checkpoints checkpoints, double now,
                                                    std::vector<double> ends);

}  // namespace espalier::demands
