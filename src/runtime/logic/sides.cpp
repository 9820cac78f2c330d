#include "runtime/logic/sides.hpp"

#include "schedule/contributors.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace espalier::runtime {

namespace {

using schedule::Contributors;
using schedule::Op;
using schedule::Schedule;
using schedule::Transfer;

/// Replays transfers, keeping whose contributions each node has combined in each chunk.
class Replay {
public:
    explicit Replay(const Schedule& schedule) : schedule_(schedule) {}

    /// Whether what the transfer combines comes from the left; of a copy nothing is said.
    bool perform(const Transfer& transfer) {
        bool left = false;
        for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
            if (schedule_.chunks[c].control) continue;
            const Contributors incoming = held(transfer.from, c);
            Contributors& present = held(transfer.to, c);
            if (transfer.op == Op::copy) {
                present = incoming;
                continue;
            }
            const bool precedes = incoming.precedes(present);
            if (c > transfer.chunk && precedes != left)
                throw std::invalid_argument("chunks of a message are combined from both sides");
            left = precedes;
            present.add(incoming);
        }
        return left;
    }

private:
    [[nodiscard]] Contributors& held(std::size_t node, std::size_t chunk) {
        return held_.try_emplace(node * schedule_.chunks.size() + chunk, Contributors(node))
            .first->second;
    }

    const Schedule& schedule_;
    std::unordered_map<std::size_t, Contributors> held_;
};

}  // namespace

std::vector<char> combined_from_left(const Schedule& schedule) {
    using schedule::Kind;
    const Kind kind = schedule.collective.kind;
    std::vector<char> left(schedule.transfers.size(), 0);
    if (!combines(kind)) return left;
    const bool scans = is_scan(kind);
    Replay replay(schedule);
    std::ranges::transform(schedule.transfers, left.begin(), [&](const Transfer& transfer) {
        // Where operands may change places, any rule will do that is the same in every run.
        if (!schedule.collective.ordered)
            return static_cast<char>(scans || transfer.from < transfer.to ? 1 : 0);
        return static_cast<char>(replay.perform(transfer) ? 1 : 0);
    });
    return left;
}

}  // namespace espalier::runtime
