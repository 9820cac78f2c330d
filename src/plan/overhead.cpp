#include "plan/overhead.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"

#include <algorithm>
#include <vector>

namespace espalier::plan {

namespace {

constexpr Seconds of_a_call(0.25e-6);

/// The number of messages of a schedule.
double count(const schedule::Schedule& schedule) {
    std::size_t messages = 0;
    for (const schedule::Transfer& transfer : schedule.transfers)
        messages += schedule.segments_of(transfer);
    return static_cast<double>(messages);
}

}  // namespace

MessageOverhead message_overhead(const simulate::Fabric& fabric) {
    constexpr Seconds unknown(infinity);
    Seconds least = unknown;
    for (std::size_t rank = 1; rank < fabric.nodes(); ++rank) {
        try {
            const Seconds found = fabric.cost(rank - 1, rank, Bytes(1)).overhead;
            if (found > Seconds(0)) least = std::min(least, found);
        } catch (const InputError&) {
            continue;  // a pair that nobody measured tells nothing
        }
    }
    return {least < unknown ? std::max(least * 2, of_a_call) : of_a_call, fabric.message_time()};
}

Seconds segment_overhead(const MessageOverhead& message, std::size_t ranks) {
    constexpr double at_busiest = 4;
    return message.of_rank * at_busiest + message.of_all * static_cast<double>(ranks);
}

Seconds overhead_of(const schedule::Schedule& schedule, const MessageOverhead& message) {
    std::vector<std::size_t> messages(schedule.nodes.size(), 0);
    for (const schedule::Transfer& transfer : schedule.transfers) {
        messages[transfer.from] += schedule.segments_of(transfer);
        messages[transfer.to] += schedule.segments_of(transfer);
    }
    const std::size_t most = messages.empty() ? 0 : *std::ranges::max_element(messages);
    return message.of_rank * static_cast<double>(most) + message.of_all * count(schedule);
}

Seconds processor_time(const schedule::Schedule& schedule, Seconds message_time) {
    return message_time * count(schedule);
}

}  // namespace espalier::plan
