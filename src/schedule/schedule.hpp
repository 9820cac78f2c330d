#pragma once

#include "schedule/collective.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::schedule {

/// The number of transfers that a node takes part in at once.
struct Ports {
    enum class Duplex { half, full };
    Duplex duplex = Duplex::full;
    std::size_t count = 1;  ///< k of k-port: sends at once, and receives at once; or both in all

    friend bool operator==(const Ports&, const Ports&) = default;
};
/// `full-duplex`, `half-duplex`, `4-port` (full-duplex), `half-duplex-4-port`.
[[nodiscard]] std::string to_string(Ports ports);
[[nodiscard]] std::optional<Ports> parse_ports(std::string_view text);

/// How a node receives messages that arrive together (bhat-1998, 6.1).
struct Reception {
    enum class Mode {
        serial,       ///< one after the other in the schedule's order, while their senders wait
        interleaved,  ///< at once, all of them slower
        buffered,     ///< one after the other as they come; who is not served yet waits in a buffer
    };
    Mode mode = Mode::serial;
    /// alpha >= 0, of interleaving: from when a message is first received together with another,
    /// what is left of it takes 1 + alpha times as long, beside sharing the node's time fairly.
    double overhead = 0;
    /// The bytes that each node can buffer. A message that its application does not receive as it
    /// arrives is in the buffer from the start of its sending until the application has received
    /// it, which takes as long as sending. A sender waits if its message does not fit and the
    /// application is busy; those that wait are let in in the order in which they came. The
    /// greatest number of bytes stands for no limit.
    Bytes buffer;

    friend bool operator==(const Reception&, const Reception&) = default;
};
/// `serial`, `interleaved:0.1`, `buffered:1048576` (read as any size), `buffered:unlimited`.
[[nodiscard]] std::string to_string(Reception reception);
[[nodiscard]] std::optional<Reception> parse_reception(std::string_view text);

enum class Op : std::uint8_t { copy, combine };

/// One send with its receive.
struct Transfer {
    std::size_t from = 0;
    std::size_t to = 0;
    std::size_t chunk = 0;
    Op op = Op::copy;
    /// The number of chunks, from `chunk` on, that it carries as one message (a binomial scatter's
    /// halves).
    std::size_t chunks = 1;
    /// The number of messages that this transfer is cut into; unset: as many as its chunk has
    /// segments, or one for several chunks. A transfer between clusters may be whole although those
    /// inside are pipelined.
    std::optional<std::size_t> segments;
    /// Starts only when that earlier transfer, received by `from`, is over (a rendezvous's answer).
    std::optional<std::size_t> after;
};

struct Schedule;

/// The schedule inside one node of a schedule whose nodes are groups (clusters, or hosts of ranks).
struct LocalPart {
    std::size_t node = 0;
    std::string strategy;
    /// The schedule over the members of the group; its root is the group's coordinator. None where
    /// only the duration is known.
    std::shared_ptr<const Schedule> schedule;
    Seconds duration;          ///< how long it takes
    std::size_t segments = 1;  ///< into which its strategy cuts the message
    enum class Phase {
        before,
        after
    } phase = Phase::after;  ///< of the coordinator's own transfers
};

/// Who sends which chunk to whom, and in what order.
///
/// Each node performs its sends in the order of (segment, position in `transfers`), step by step if
/// there are barriers, and its receives likewise unless `reception` says otherwise. So a pipelined
/// tree is (tree, chunk, segment count), and no segment is ever stored. A node sends a segment when
/// all earlier-listed transfers to it of that chunk have delivered what the segment covers, and its
/// ports are free. An immutable value once planned; adapting makes a new one with another epoch.
struct Schedule {
    Collective collective;
    std::vector<std::string> nodes;
    Ports ports;
    std::string algorithm;
    std::vector<Chunk> chunks;
    std::vector<Transfer> transfers;
    std::vector<LocalPart> local;
    Reception reception;
    /// Steps that all nodes begin together: transfers from such an index on start only when all
    /// before it are over. Ascending.
    std::vector<std::size_t> barriers;
    /// The node whose own messages were to be over as early as possible.
    std::optional<std::size_t> critical;
    std::string network;  ///< fingerprint of the network it was planned for
    std::uint64_t epoch = 0;

    [[nodiscard]] std::size_t segments_of(const Transfer& transfer) const {
        return transfer.segments.value_or(transfer.chunks == 1 ? chunks[transfer.chunk].segments
                                                               : 1);
    }
    [[nodiscard]] Bytes bytes_of(const Transfer& transfer) const;
};

/// A group of ranks, recursively: a grid of sites of clusters of hosts. A leaf is one rank.
struct Group {
    std::string name;
    std::vector<Group> members;

    [[nodiscard]] std::size_t ranks() const;
};

/// The schedule between ranks that a schedule between groups stands for: each transfer between
/// groups becomes one between their coordinators, and the local parts are spliced in, before or
/// after their coordinators' own transfers. Ranks are numbered leaf by leaf. Throws
/// std::invalid_argument if a local part has no schedule or does not fit its group, if there are
/// barriers as well as local parts, and if blocks of groups of several ranks differ.
[[nodiscard]] Schedule expand(const Schedule& over_groups, const std::vector<Group>& groups);

}  // namespace espalier::schedule
