#pragma once

#include "testbed/change.hpp"
#include "testbed/draws.hpp"
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

    Emulator(Topology topology, OwnDelays own);

    /// The network as it is now.
    [[nodiscard]] const Topology& topology() const { return topology_; }
    /// Changes it; all that was to move until now has. What is in a queue leaves at its new rate
    /// from now on, and what has not begun its latency has the new one; what has keeps the old one.
    /// Losses, jitter and cross traffic of what is changed are drawn anew, always the same.
    void change(const std::vector<Change>& changes, const Topology& described, Nanoseconds now);

    /// A packet leaves its host. Times never go back.
    void send(std::uint32_t from, std::uint32_t to, Packet packet, Nanoseconds now);
    /// The queue by which all that a host sends leaves, and that it waits for; or none.
    [[nodiscard]] std::optional<std::uint32_t> card(std::uint32_t host) const {
        return cards_[host];
    }
    /// When the card of this host can take the next packet without keeping it for long.
    [[nodiscard]] Nanoseconds ready_at(std::uint32_t host) const { return ready_[host]; }

    /// When `advance` has to be called again; `never` if all is quiet. Earlier steps of a packet
    /// are made up for then, as long as it can't have arrived before.
    [[nodiscard]] Nanoseconds next();
    /// Moves on what was to move until now; true, and one packet, while some has arrived.
    [[nodiscard]] bool advance(Nanoseconds now, Arrival& arrival);

    /// Packets that found a full queue, or were lost otherwise.
    [[nodiscard]] std::uint64_t lost() const { return lost_; }

private:
    struct QueueState {
        double ns_per_byte;
        double buffer;  ///< bytes
        Draws draws;
        double free = 0;        ///< when all that is in it has left
        double next_cross = 0;  ///< when the next frame of others enters it
    };
    struct PathState {
        Draws draws;
        double end = 0;  ///< of the latency of what has left last
    };
    struct Transit {
        Packet packet;
        std::uint32_t from;
        std::uint32_t to;
        std::uint32_t stage;  ///< queues passed
        std::uint64_t order;  ///< of its event
        double first;         ///< when the first frame has left the queue that it passed
        double last;
        double latency;  ///< from there; not what it waits for those before it
        double held;     ///< both
    };
    static bool is_under_way(const Transit& transit) { return transit.packet.wire > 0; }
    struct Event {
        Nanoseconds at;
        std::uint64_t order;
        std::uint32_t transit;
        bool operator>(const Event& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    void start(std::uint32_t from, std::uint32_t to, Packet packet, Nanoseconds now);
    /// False if it was lost.
    bool pass_queue(Transit& transit, std::uint32_t queue, bool drops);
    [[nodiscard]] std::optional<std::uint32_t> next_queue(const Transit& transit) const;
    [[nodiscard]] bool is_at_latency(const Transit& transit) const;
    /// Plans what comes next for this transit.
    void plan_next(std::uint32_t number);
    void schedule(std::uint32_t number);
    [[nodiscard]] double draw_latency(std::uint32_t from, std::uint32_t to);  ///< ns
    [[nodiscard]] double latency_of(const Path& path) const;                  ///< ns
    /// No later than it arrives, nor much sooner: as if the queues after the next were empty.
    [[nodiscard]] double earliest_arrival(const Transit& transit);
    void release(std::uint32_t number);
    void lose(std::uint32_t number);
    /// Has the queue hold what others sent until then.
    void add_cross_traffic(std::uint32_t queue, double until);
    void draw_next_cross(std::uint32_t queue);
    void start_draws(std::uint32_t queue, double now);
    /// From now on the queue serves at the rate that it now has.
    void change_rate(std::uint32_t queue, double now);
    void set_pieces();
    /// The host has a card.
    void set_ready(std::uint32_t host);
    /// Schedules all that is under way anew.
    void reschedule(double now);

    Topology topology_;
    OwnDelays own_;
    std::vector<QueueState> queues_;
    Matrix<PathState> paths_;
    std::vector<std::optional<std::uint32_t>> cards_;
    Matrix<std::uint32_t> piece_;  ///< frames of a piece
    std::vector<Nanoseconds> ready_;
    std::vector<Transit> transits_;
    std::vector<std::uint32_t> unused_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> wakes_;  ///< some out of date
    std::uint64_t order_ = 0;
    std::uint64_t lost_ = 0;
};

}  // namespace espalier::testbed
