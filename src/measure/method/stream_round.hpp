#pragma once

#include "core/matrix.hpp"
#include "measure/method/rounds.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace espalier::measure {

/// The greatest of these paces, in bytes per second, or an assumed one if none is known.
[[nodiscard]] double fastest(const Matrix<double>& paces);

/// Messages from one host to another, one after the other for a while.
struct Stream {
    StreamEnds ends;
    std::uint64_t first = 0;     ///< bytes of a message at the beginning
    std::uint64_t bytes = 0;     ///< and at most
    std::uint64_t at_first = 0;  ///< messages under way at the beginning
    std::uint64_t window = 0;    ///< and at most
    std::uint64_t expected = 0;  ///< messages, and answers, for which hosts are ready at a time
    double round_trip = 0;       ///< of its path when nothing is in the way, seconds
};

/// Streams that run at the same time.
struct StreamRound {
    std::vector<Stream> streams;
    double begins = 0;        ///< seconds after it was ordered
    double warm_up = 0;       ///< seconds before what arrives counts
    double span = 0;          ///< seconds for which it counts
    std::size_t windows = 1;  ///< equal parts of the span, of each of which it is told what arrived
    double round_trip = 0;    ///< the longest of its paths, seconds
    bool trains = false;      ///< of datagrams, of which it is told how fast they came
};

/// Whether streams are to be seen by themselves, beside others, or so many at a time that they fill
/// long paths after a few round trips, when each of them has hardly begun. Or a train: datagrams
/// right behind each other, which the narrowest place of the path draws out (TrainPort).
enum class StreamKind { alone, beside_others, flood, train };

/// The conditions under which streams run.
struct StreamConditions {
    bool noisy = false;  ///< the clock: the same stream is faster at times
    /// The eager threshold in bytes: longer messages wait for their receivers.
    std::uint64_t eager = std::numeric_limits<std::uint64_t>::max();
};

/// Streams between these ends that run for long enough to be measured; a flood in windows of about
/// a round trip, since nobody knows when it fills its paths. `paces`: what one stream is believed
/// to get from cluster to cluster, in bytes per second, 0 where nobody knows; `round_trips` between
/// coordinators, seconds. Messages on long paths are no longer than the eager threshold.
[[nodiscard]] StreamRound make_round(const std::vector<StreamEnds>& ends, StreamKind kind,
                                     const Matrix<double>& paces, const Matrix<double>& round_trips,
                                     const StreamConditions& conditions);

/// How many connections fill a path of so many bytes per second within the first round trips of a
/// flood.
[[nodiscard]] double connections_to_fill(double pace, double round_trip);

/// How long the round takes once it begins, until nothing more counts, seconds.
[[nodiscard]] double duration(const StreamRound& round);
/// How long after it the next round of the same order may begin: what is under way still is in
/// nobody's way while that begins slowly. Seconds.
[[nodiscard]] double until_next(const StreamRound& round);
/// How long after a train the next one leaves, where so many sites send one to each other, seconds.
[[nodiscard]] double trains_apart(std::size_t sites);
/// About how long it takes to order rounds like it and to tell what they found, in seconds.
[[nodiscard]] double time_to_order(const StreamRound& round);

}  // namespace espalier::measure
