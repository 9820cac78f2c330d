#pragma once

#include "core/matrix.hpp"
#include "measure/method/rounds.hpp"

#include <cstdint>
#include <vector>

namespace espalier::measure {

/// Messages from one host to another, one after the other for a while.
struct Stream {
    StreamEnds ends;
    std::uint64_t bytes = 0;     ///< of a message
    std::uint64_t at_first = 0;  ///< messages under way at the beginning
    std::uint64_t window = 0;    ///< and at most
};

/// Streams that run at the same time.
struct StreamRound {
    std::vector<Stream> streams;
    double warm_up = 0;  ///< seconds before what arrives counts
    double span = 0;     ///< seconds for which it counts
    double settle = 0;   ///< seconds by which streams may begin, or be heard, at different times
};

/// Whether streams are to be seen by themselves, beside others, or so many at a time that they fill
/// long paths after a few round trips, when each of them has hardly begun.
enum class StreamKind { alone, beside_others, flood };

/// Streams between these ends that run for long enough to be measured. `paces`: what one stream is
/// believed to get from cluster to cluster, in bytes per second, 0 where nobody knows;
/// `round_trips` between coordinators, seconds. Messages on long paths are no longer than `eager`.
[[nodiscard]] StreamRound make_round(const std::vector<StreamEnds>& ends, StreamKind kind,
                                     const Matrix<double>& paces, const Matrix<double>& round_trips,
                                     std::uint64_t eager);

/// About how long the round takes, in seconds.
[[nodiscard]] double duration(const StreamRound& round);

}  // namespace espalier::measure
