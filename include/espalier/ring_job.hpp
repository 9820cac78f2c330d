#pragma once

/// The computation that espalier/ring.hpp slices over a ring. This header needs no MPI.

#include <cstdint>
#include <string>

namespace espalier {

/// How a ring's ranks are chosen and ordered.
enum class RingOrder {
    planned,   ///< for the shortest step
    by_speed,  ///< all hosts, as the network lists them; shares proportional to speed
    random,    ///< all hosts, in a random order; shares proportional to speed
};

/// The part of a link that each of the messages that cross it at the same time gets.
enum class LinkSharing {
    automatic,    ///< by round trips on SMPI, alike elsewhere
    alike,        ///< the same each, unless another link holds one back more
    round_trips,  ///< in inverse proportion to their round trips, as TCP tends to do
};

/// The computation. If ranks differ in it, rank 0's values count.
struct RingJob {
    /// A network file with cycle times, of the models `links`, `pairwise` or `grid`. Ranks are
    /// matched to its hosts by their processor names. Only rank 0 reads it.
    std::string network;
    /// W: the work of one step, over all columns, in the unit of the network's cycle times. With
    /// cycle times in seconds for one column it is the number of columns.
    double work = 0;
    /// H: the bytes that each rank sends to each of its two neighbours after each step.
    double exchange_bytes = 0;
    int columns = 0;  ///< to be sliced
    RingOrder order = RingOrder::planned;
    LinkSharing sharing = LinkSharing::automatic;  ///< what is planned for
    double planning_seconds = 2;                   ///< at most about so long, each time
    std::uint64_t seed = 1;                        ///< of the search, or of the random order
};

}  // namespace espalier
