#include "plan/overhead.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace espalier::plan {

namespace {

constexpr Seconds of_a_call(0.25e-6);

}  // namespace

Seconds message_overhead(const simulate::Fabric& fabric) {
    constexpr Seconds unknown(std::numeric_limits<double>::infinity());
    Seconds least = unknown;
    for (std::size_t rank = 1; rank < fabric.nodes(); ++rank) {
        try {
            const Seconds found = fabric.cost(rank - 1, rank, Bytes(1)).overhead;
            if (found > Seconds(0)) least = std::min(least, found);
        } catch (const InputError&) {
            continue;  // a pair that nobody measured tells nothing
        }
    }
    return least < unknown ? std::max(least * 2, of_a_call) : of_a_call;
}

Seconds overhead_of(const schedule::Schedule& schedule, Seconds message) {
    std::vector<std::size_t> messages(schedule.nodes.size(), 0);
    for (const schedule::Transfer& transfer : schedule.transfers) {
        messages[transfer.from] += schedule.segments_of(transfer);
        messages[transfer.to] += schedule.segments_of(transfer);
    }
    const std::size_t most = messages.empty() ? 0 : *std::ranges::max_element(messages);
    return message * static_cast<double>(most);
}

}  // namespace espalier::plan
