#pragma once

#include "core/units.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <vector>

namespace espalier::schedule {

struct Message {
    std::size_t from = 0;
    std::size_t to = 0;
    Bytes bytes;
};
/// The messages of a round. What a rank sends in a round waits for all that it received in earlier
/// ones.
using Round = std::vector<Message>;
using Rounds = std::vector<Round>;

/// These rounds after those.
[[nodiscard]] Rounds operator+(Rounds first, const Rounds& second);
/// The last message first, and back to its sender.
[[nodiscard]] Rounds reversed(Rounds rounds);
/// Adds the messages to a schedule whose nodes are there. Each has a chunk of its own; what it
/// waits for is said by name.
void add(Schedule& schedule, const Rounds& rounds);

}  // namespace espalier::schedule
