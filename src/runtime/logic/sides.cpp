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

/// Replays transfers of operands that may change places, keeping the first rank of what each node
/// has combined in each chunk.
class Exchanges {
public:
    explicit Exchanges(const Schedule& schedule) : schedule_(schedule) {}

    /// Whether the transfer's operand is the left one: of parts that others combine, too, the one
    /// with the first rank.
    bool perform(const Transfer& transfer) {
        bool left = true;
        for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c) {
            Held& from = held(transfer.from, c);
            Held& to = held(transfer.to, c);
            if (transfer.op == Op::combine && to.known_elsewhere) left = from.first < to.first;
            to.first = transfer.op == Op::combine ? std::min(from.first, to.first) : from.first;
            from.known_elsewhere = true;
            to.known_elsewhere = transfer.op == Op::copy;
        }
        return left;
    }

private:
    struct Held {
        std::size_t first = 0;
        bool known_elsewhere = false;
    };
    [[nodiscard]] Held& held(std::size_t node, std::size_t chunk) {
        return held_.try_emplace(node * schedule_.chunks.size() + chunk, Held{node}).first->second;
    }

    const Schedule& schedule_;
    std::unordered_map<std::size_t, Held> held_;
};

}  // namespace

std::vector<char> combined_from_left(const Schedule& schedule) {
    using schedule::Kind;
    const Kind kind = schedule.collective.kind;
    std::vector<char> left(schedule.transfers.size(), 1);
    const auto replay = [&](auto replayed) {
        std::ranges::transform(schedule.transfers, left.begin(), [&](const Transfer& transfer) {
            return static_cast<char>(replayed.perform(transfer) ? 1 : 0);
        });
    };
    if (schedule.collective.ordered && combines(kind))
        replay(Replay(schedule));
    else if (kind == Kind::allreduce)
        replay(Exchanges(schedule));
    return left;
}

}  // namespace espalier::runtime
