#pragma once

#include "core/infinity.hpp"
#include "core/units.hpp"
#include "network/network.hpp"
#include "schedule/schedule.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace espalier::simulate {

/// The cost of one message that nothing delays: it occupies its sender during [start, start + gap]
/// and its receiver during [start + latency, start + latency + gap].
struct MessageCost {
    Seconds gap;
    Seconds latency;
    /// The time for which the message keeps a node from beginning the next one, and its receiver
    /// from taking in the next one, however many ports they have: at most the gap, and 0 if it is
    /// not known.
    Seconds overhead{0};
};

/// A lower bound on the cost of any message on a link, however its data is cut into segments.
struct CostFloor {
    Seconds latency;
    double seconds_per_byte = 0;
    Seconds gap;  ///< of the shortest message; a byte, unless there is none to send
    /// The part of each message's gap that does not depend on its bytes: the gap of b bytes,
    /// however many, is at least startup + b * (seconds_per_byte - startup / size).
    Seconds startup;
};

/// A host's cap, a shared uplink or a physical link: transfers that draw on it share its bytes per
/// second, and are slowed down where these are short.
struct Capacity {
    std::string name;
    double limit = 1;  ///< bytes per second
    /// Incast: the queue before the capacity overflows if more long messages than this draw on it
    /// at once. Bytes are then lost and sent again.
    double incast_threshold = infinity;
    /// Whether nobody stated this capacity, and it is presumed to be shared. The most that was seen
    /// is one stream: messages of a length at which a stream is slower than the limit are together
    /// no faster than such a stream (link_use()).
    bool presumed = false;

    /// The bytes per second that the capacity carries while `long_messages` draw on it: its limit,
    /// times (incast_threshold / long_messages)^0.75 if there are more than the threshold. The
    /// exponent is fitted to TCP (cubic) between 25 hosts, with 150 messages at once on each link
    /// of 9.4 MB/s: messages of 64 KiB took 1.73 times what the link needs, of 32 KiB 2.3 times.
    [[nodiscard]] double carries(int long_messages) const;
};

/// How the messages from one node to another share their capacities with other messages.
struct Sharing {
    /// The weight by which the message shares what a capacity has for long messages.
    double weight = 1;
    /// Messages of at most so many bytes don't share: they pass in the order in which they come,
    /// before the long ones.
    Bytes burst{0};
    /// How many of the capacities that they draw on, the first ones, lie before the path's latency.
    /// Short messages reach the other capacities that much later.
    std::size_t before = std::numeric_limits<std::size_t>::max();
};

/// How much a connection, the way from one node to another, may have in flight: its window. It is
/// `first` where the connection was not used before, doubles with each round trip in which all of
/// it was needed, until it fills the path and the queue before it, and halves, down to `first`, for
/// each time of `restart` without a message.
struct Window {
    Bytes first{0};  ///< 0: it never holds a message back
    Seconds round_trip;
    Seconds queue;  ///< of a full one
    Seconds restart;
};

/// A network as a schedule's nodes see it: the cost of a message between each two, and the shared
/// capacities that it draws on.
class Fabric {
public:
    virtual ~Fabric() = default;

    [[nodiscard]] virtual std::size_t nodes() const = 0;
    /// Throws InputError naming the pair where the network does not know its cost.
    [[nodiscard]] virtual MessageCost cost(std::size_t from, std::size_t to, Bytes size) const = 0;
    /// The floor over all segments of at most `size` bytes. Throws as cost() does.
    [[nodiscard]] virtual CostFloor floor(std::size_t from, std::size_t to, Bytes size) const = 0;
    /// The network's own; ports are the schedule's.
    [[nodiscard]] virtual std::span<const Capacity> capacities() const { return {}; }
    /// The indices in capacities() of those that a message from `from` to `to` draws on.
    [[nodiscard]] virtual std::span<const std::uint32_t> draws(std::size_t, std::size_t) const {
        return {};
    }
    [[nodiscard]] virtual Sharing sharing(std::size_t, std::size_t) const { return {}; }
    [[nodiscard]] virtual Window window(std::size_t, std::size_t) const { return {}; }
    /// No window halves in less; infinite: no window ever holds a message back.
    [[nodiscard]] virtual Seconds least_restart() const { return Seconds(infinity); }
    /// The time that each message takes of processors that all nodes share; see
    /// GridNetwork::message_time. Simulations leave it out.
    [[nodiscard]] virtual Seconds message_time() const { return Seconds(0); }
    /// The ports that the model prescribes.
    [[nodiscard]] virtual schedule::Ports ports() const { return {}; }
};

/// What each byte of a message uses of a presumed capacity, at least 1: the time that the message
/// takes of its link (its gap without that of a message of one byte, which its nodes spend) over
/// its time at the limit.
[[nodiscard]] double link_use(const Fabric& fabric, const Capacity& presumed, std::size_t from,
                              std::size_t to, Bytes size);

/// The floor of messages on a link with these parameters, cut into segments of at most `size`
/// bytes.
[[nodiscard]] CostFloor floor_of(const network::PLogP& link, Bytes size);

/// How messages share capacities on this transport if the latencies of the smallest messages are
/// `there` and `back`.
[[nodiscard]] Sharing sharing_of(const network::Transport& transport, Seconds there, Seconds back);
/// The window of a connection on this transport, likewise.
[[nodiscard]] Window window_of(const network::Transport& transport, Seconds there, Seconds back);
/// Capacity::incast_threshold of a capacity that pairs of clusters share: so many bursts fill its
/// queue, and each long message has one burst in flight, however slow the message is.
[[nodiscard]] double incast_threshold(const network::Transport& transport, BytesPerSecond capacity);

/// The network's own nodes: sender nodes, pairwise nodes, top-level clusters, hosts of `links`.
/// The network must outlive the fabric.
[[nodiscard]] std::unique_ptr<const Fabric> make_fabric(const network::Network& network);

}  // namespace espalier::simulate
