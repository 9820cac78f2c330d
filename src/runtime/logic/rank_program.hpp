#pragma once

#include "schedule/schedule.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace espalier::runtime {

/// One rank's part of a plan, for any size of message: what it receives and what it sends, each in
/// its order. Messages of one ordered pair of ranks have the same order at both ends, so that they
/// match without tags. Sizes are shares of a call's data, in units: bytes of what is copied,
/// elements of what is combined.
struct RankProgram {
    /// A run of one item of the collective, [begin, end) of `of` shares of it: of n units those
    /// from floor(n begin / of) to floor(n end / of). What an item is depends on the collective: a
    /// rank's block (`source` in a gather or all-gather, `target` in a scatter or reduce-scatter,
    /// both in a total exchange), else the one message. Chunks do not overlap.
    struct Chunk {
        std::uint32_t source = 0;
        std::uint32_t target = 0;
        std::uint64_t begin = 0;
        std::uint64_t end = 1;
        std::uint64_t of = 1;
        /// Whether the message carries no data: it only coordinates, or belongs to a barrier.
        bool empty = false;

        [[nodiscard]] std::uint64_t first_unit(std::uint64_t units) const;
        [[nodiscard]] std::uint64_t units(std::uint64_t units) const;
    };
    /// Units [first, first + units) of an item.
    struct Run {
        std::uint64_t first = 0;
        std::uint64_t units = 0;
        friend bool operator==(const Run&, const Run&) = default;
    };
    /// A message: several whole chunks, one after the other; or segment `segment` of `segments` of
    /// the run that they make together, being shares of one item that follow each other.
    struct Message {
        int peer = 0;
        std::uint32_t chunk = 0;  ///< index in RankProgram::chunks
        std::uint32_t chunks = 1;
        std::uint32_t segment = 0;
        std::uint32_t segments = 1;
    };
    /// A receive is over when what it brought is in its place: copied there, or combined with what
    /// was there.
    struct Receive {
        Message message;
        schedule::Op op = schedule::Op::copy;
        /// The sends of the data that was there before, needs[first_need, last_need): what arrives
        /// may take its place when they have left.
        std::size_t first_need = 0;
        std::size_t last_need = 0;
        /// and these receives of what it goes on top of are over: earlier[first_earlier,
        /// last_earlier), in which all stand before this one.
        std::size_t first_earlier = 0;
        std::size_t last_earlier = 0;
        /// Whether the operand comes from lower ranks than what is held; otherwise from higher
        /// ones.
        bool from_left = false;
    };
    struct Send {
        Message message;
        /// The receives that have to be over before it starts: needs[first_need, last_need). None
        /// of them waits for this send or a later one.
        std::size_t first_need = 0;
        std::size_t last_need = 0;
        /// For a clock, as planned: when it starts, where that is known, and for how long it keeps
        /// a port, which is longer where others slow it down.
        Seconds start;
        Seconds gap;
    };
    /// All ranks meet at a barrier when each is done with its messages before these.
    struct Barrier {
        std::size_t sends = 0;
        std::size_t receives = 0;
    };

    std::vector<Chunk> chunks;  ///< that this rank touches, in the schedule's order
    std::vector<Receive> receives;
    std::vector<Send> sends;
    std::vector<std::size_t> needs;    ///< indices of receives (of a send) or sends (of a receive)
    std::vector<std::size_t> earlier;  ///< indices of receives
    std::vector<Barrier> barriers;     ///< ascending
    std::size_t ports = 1;             ///< sends that the plan has in flight at once
    /// Receives that are posted ahead; a message moves once its receive is there.
    static constexpr std::size_t receive_window = 4096;
    /// The most sends in flight if MPI, rather than a clock, is to keep their order.
    std::size_t window = 1;

    /// The part of an item of `units` that the message carries of its chunk chunks[message.chunk +
    /// index]; of a message that is cut, its segment (`index` is 0 then). Segments of one run of an
    /// item, however it is cut, end where their exact shares of the item do, rounded down.
    [[nodiscard]] Run run_of(const Message& message, std::uint64_t units,
                             std::size_t index = 0) const;
};

/// An eager threshold that no message exceeds.
inline constexpr Bytes any_length{std::numeric_limits<std::uint64_t>::max()};

/// The programs of all ranks of a schedule between ranks (local parts expanded). `fabric` tells
/// what messages are expected to cost, `timeline`, unless empty, how long those of whole transfers
/// keep a port while they share what they cross. Longer messages than `eager` wait for their
/// receivers (rendezvous), and are cut where that is worth while. Throws std::invalid_argument if a
/// message is cut whose chunks are not one run of one item, if the chunks of a message are to be
/// combined from different sides, and if the order of segments would have ranks wait for
/// themselves.
[[nodiscard]] std::vector<RankProgram> compile_ranks(const schedule::Schedule& schedule,
                                                     const simulate::Fabric& fabric,
                                                     Bytes eager = any_length,
                                                     const schedule::Timeline& timeline = {});

}  // namespace espalier::runtime
