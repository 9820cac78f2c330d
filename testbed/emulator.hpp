#pragma once

#include "testbed/packet.hpp"
#include "testbed/topology.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

namespace espalier::testbed {

/// A time of CLOCK_MONOTONIC.
using Nanoseconds = std::int64_t;
inline constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

/// What the machine adds to the path of a packet, and so is taken off its latency: after an idle
/// millisecond, processors take longer to wake up.
struct OwnDelays {
    Nanoseconds busy = 0;  ///< on paths of less than that
    Nanoseconds idle = 0;
};

[[nodiscard]] bool is_idle_path(Seconds latency);

/// The first queue of all the paths from a host, if that is one: its network card.
[[nodiscard]] std::optional<std::uint32_t> card_of(const Topology& topology, std::size_t host);

/// The network itself, in whatever time it is told: where each packet is, and when it arrives.
///
/// What a card would cut into many frames is cut into pieces that take a millisecond at most,
/// so that whoever waits for the first part gets it. A piece of several frames passes queue after
/// queue as its frames would: a queue begins to send the first as soon as it has that, and ends no
/// earlier than its rate allows for all of them, nor than the last has come in. Queues are first
/// in, first out by the arrival of first frames.
class Emulator {
public:
    struct Arrival {
        std::uint32_t host;
        Packet packet;
    };

    Emulator(const Topology& topology, OwnDelays own);

    /// A packet leaves its host. Times never go back.
    void send(std::uint32_t from, std::uint32_t to, Packet packet, Nanoseconds now);
    /// When the card of this host can take the next packet without keeping it for long.
    [[nodiscard]] Nanoseconds ready_at(std::uint32_t host) const { return ready_[host]; }

    /// When `advance` has to be called again; `never` if all is quiet. Earlier steps of a packet
    /// are made up for then, as long as it can't have arrived before.
    [[nodiscard]] Nanoseconds next();
    /// Moves on what was to move until now; true, and one packet, while some has arrived.
    [[nodiscard]] bool advance(Nanoseconds now, Arrival& arrival);

    /// Packets that found a full queue.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    struct QueueState {
        double ns_per_byte;
        double buffer;    ///< bytes
        double free = 0;  ///< when all that is in it has left
    };
    struct Transit {
        Packet packet;
        std::uint32_t from;
        std::uint32_t to;
        std::uint32_t stage;  ///< queues passed
        std::uint64_t order;  ///< of its event
        double first;         ///< when the first frame is where it is now
        double last;
    };
    struct Event {
        Nanoseconds at;
        std::uint64_t order;
        std::uint32_t transit;
        bool operator>(const Event& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    void start(std::uint32_t from, std::uint32_t to, Packet packet, Nanoseconds now);
    /// False if it was dropped.
    bool pass_queue(Transit& transit, QueueState& queue, bool drops);
    [[nodiscard]] QueueState* next_queue(const Transit& transit);
    /// Schedules what comes next for this transit.
    void plan_next(std::uint32_t number);
    [[nodiscard]] double latency_of(const Path& path) const;  ///< ns
    /// No later than it arrives, nor much sooner: as if the queues after the next were empty.
    [[nodiscard]] double earliest_arrival(const Transit& transit);
    void release(std::uint32_t number);

    const Topology& topology_;
    OwnDelays own_;
    std::vector<QueueState> queues_;
    /// The queue by which all that a host sends leaves, and that it waits for; or none.
    std::vector<std::optional<std::uint32_t>> cards_;
    Matrix<std::uint32_t> piece_;  ///< frames of a piece
    std::vector<Nanoseconds> ready_;
    std::vector<Transit> transits_;
    std::vector<std::uint32_t> unused_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> wakes_;  ///< some out of date
    std::uint64_t order_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace espalier::testbed
