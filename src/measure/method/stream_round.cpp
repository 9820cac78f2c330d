#include "measure/method/stream_round.hpp"

#include "measure/method/probe.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

namespace espalier::measure {

namespace {

/// A stream that begins needs some round trips to connect and to reach its pace, and some more to
/// be measured.
constexpr double warm_up_round_trips = 11;
constexpr double span_round_trips = 7;
/// The same of a flood: it doubles from what TCP sends at first (RFC 6928) to what its paths hold.
constexpr double flood_begins_round_trips = 1.5;
constexpr double flood_ends_round_trips = 4;
constexpr double first_window_bytes = 10 * 1448;
constexpr double flood_span_round_trips = 2;
/// How long trains from each site to each other one take to leave, and how far apart they are at
/// least; how long the last ones may wait for those before them, and be drawn out.
constexpr double trains_leave_s = 0.06;
constexpr double trains_apart_s = 1e-3;
constexpr double trains_late_s = 0.1;
/// The least part of a flood for which it is told what arrived, seconds.
constexpr double least_window_s = 0.025;
constexpr double most_windows = 6;
/// What a round takes besides until the next may begin, and its order and report, in round trips.
constexpr double clear_round_trips = 0.5;
constexpr double order_round_trips = 1.1;
constexpr std::uint64_t flood_message = 8192;
constexpr std::uint64_t flood_messages_at_first = 2;
constexpr int most_doublings = 5;
constexpr double least_warm_up = 0.03;
constexpr double least_span = 0.08;
/// The bytes that may be in flight, in round trips at the pace of the fastest stream known.
constexpr double window_round_trips = 1.5;
constexpr std::uint64_t least_window = 8;
constexpr std::uint64_t most_window = 512;
constexpr std::uint64_t least_at_first = 4;
/// The pace that is assumed if none is known, in bytes per second.
constexpr double unknown_pace = 100e6;
/// The number of messages of a stream alone that should arrive in the measured span.
constexpr double messages_in_span = 60;
constexpr std::uint64_t least_message = 4096;
constexpr std::uint64_t largest_message = 32768;
/// The greatest message on short paths, in bytes, where it does not matter if it waits for an
/// answer.
constexpr std::uint64_t largest_near_message = 262144;

/// A receiver deals with one message while the next comes in. If more were expected, looks would be
/// slow, since libraries poll once for every few requests.
constexpr std::uint64_t messages_expected = 2;

/// The same on a simulator, which moves only messages that are expected.
constexpr double exact_warm_up_round_trips = 4;
constexpr double exact_span_round_trips = 2;
constexpr std::uint64_t under_way_alone = 16;
constexpr std::uint64_t under_way_beside_others = 4;
constexpr std::uint64_t longest_message = 1U << 19U;

/// Of each stream, how many its host at either end has, at the one that has fewer: so many fill the
/// card of a host together.
std::vector<double> streams_at_ends(const std::vector<StreamEnds>& ends) {
    std::map<std::size_t, double> out;
    std::map<std::size_t, double> in;
    for (const StreamEnds& pair : ends) {
        ++out[pair.from];
        ++in[pair.to];
    }
    std::vector<double> streams;
    for (const StreamEnds& pair : ends) streams.push_back(std::min(out[pair.from], in[pair.to]));
    return streams;
}

/// The round trips after which a flood fills its paths.
double round_trips_to_fill(const std::vector<StreamEnds>& ends, const std::vector<double>& streams,
                           const Matrix<double>& paces, const Matrix<double>& round_trips) {
    double most = 0;
    for (std::size_t k = 0; k < ends.size(); ++k) {
        const auto& [from, to, i, j] = ends[k];
        const double held = paces(i, j) * round_trips(i, j);
        most = std::max(most, std::log2(std::max(held / (streams[k] * first_window_bytes), 1.0)));
    }
    return std::min(flood_begins_round_trips + most, flood_ends_round_trips);
}

/// The span and what comes before, but for a round trip, in windows of about one each.
void cut_into_windows(StreamRound& round) {
    // What fills its paths sooner than that shall count.
    const double all = round.warm_up + round.span;
    round.warm_up = std::min(least_warm_up + round.round_trip, round.warm_up);
    round.span = all - round.warm_up;
    round.windows = static_cast<std::size_t>(
        std::clamp(round.span / std::max(round.round_trip, least_window_s), 1.0, most_windows));
}

double longest(const std::vector<StreamEnds>& ends, const Matrix<double>& round_trips) {
    double longest = 0;
    for (const StreamEnds& pair : ends)
        longest = std::max(longest, round_trips(pair.from_cluster, pair.to_cluster));
    return longest;
}

/// A round of trains, one of each pair of ends.
StreamRound make_trains(const std::vector<StreamEnds>& ends, const Matrix<double>& round_trips) {
    StreamRound round;
    round.trains = true;
    round.round_trip = longest(ends, round_trips);
    round.span = round.round_trip + trains_late_s;
    for (const StreamEnds& pair : ends) round.streams.push_back({pair});
    return round;
}

/// A round on a simulator. Streams are at their pace as soon as enough is under way. Each message
/// takes time to simulate, so that they get longer in place of more.
StreamRound make_exact_round(const std::vector<StreamEnds>& ends, StreamKind kind,
                             const Matrix<double>& round_trips, std::uint64_t eager) {
    StreamRound round;
    round.round_trip = longest(ends, round_trips);
    // Messages of a flood double once in a round trip until they are the longest.
    const double doublings =
        std::log2(static_cast<double>(longest_message) / static_cast<double>(flood_message));
    round.warm_up = (kind == StreamKind::flood ? flood_begins_round_trips + doublings
                                               : exact_warm_up_round_trips) *
                    round.round_trip;
    round.span = std::max(least_span, exact_span_round_trips * round.round_trip);
    cut_into_windows(round);
    const std::uint64_t under_way =
        kind == StreamKind::alone ? under_way_alone : under_way_beside_others;
    for (const StreamEnds& pair : ends) {
        const double round_trip = round_trips(pair.from_cluster, pair.to_cluster);
        const std::uint64_t most =
            round_trip > long_round_trip_s ? std::min(eager, longest_message) : longest_message;
        round.streams.push_back({pair, std::min(flood_message, most), most, under_way, under_way,
                                 under_way, round_trip});
    }
    return round;
}

}  // namespace

double fastest(const Matrix<double>& paces) {
    double most = 0;
    for (std::size_t i = 0; i < paces.rows(); ++i)
        for (std::size_t j = 0; j < paces.columns(); ++j) most = std::max(most, paces(i, j));
    return most > 0 ? most : unknown_pace;
}

StreamRound make_round(const std::vector<StreamEnds>& ends, StreamKind kind,
                       const Matrix<double>& paces, const Matrix<double>& round_trips,
                       const StreamConditions& conditions) {
    if (!conditions.noisy) return make_exact_round(ends, kind, round_trips, conditions.eager);
    if (kind == StreamKind::train) return make_trains(ends, round_trips);
    StreamRound round;
    round.round_trip = longest(ends, round_trips);
    const bool flood = kind == StreamKind::flood;
    const std::vector<double> streams = streams_at_ends(ends);
    round.warm_up =
        least_warm_up +
        round.round_trip *
            (flood ? round_trips_to_fill(ends, streams, paces, round_trips) : warm_up_round_trips);
    round.span = std::max(least_span,
                          round.round_trip * (flood ? flood_span_round_trips : span_round_trips));
    if (flood) cut_into_windows(round);
    const double most = fastest(paces);
    for (std::size_t k = 0; k < ends.size(); ++k) {
        const StreamEnds& pair = ends[k];
        const double round_trip = round_trips(pair.from_cluster, pair.to_cluster);
        const std::uint64_t largest =
            round_trip > long_round_trip_s
                ? std::clamp(conditions.eager, least_message, largest_message)
                : largest_near_message;
        const double known = paces(pair.from_cluster, pair.to_cluster);
        const auto even =
            static_cast<std::uint64_t>((known > 0 ? known : most) * round.span / messages_in_span);
        const std::uint64_t bytes =
            flood ? flood_message : std::clamp(std::bit_ceil(even + 1), least_message, largest);
        const double in_flight = window_round_trips * most * round_trip /
                                 (static_cast<double>(bytes) * (flood ? streams[k] : 1));
        const std::uint64_t window =
            std::clamp(static_cast<std::uint64_t>(std::ceil(in_flight)), least_window, most_window);
        // Floods are many together, on paths that may be narrow; the first window, where it takes
        // long to double up to what the path may hold.
        const std::uint64_t at_first =
            flood ? std::clamp<std::uint64_t>(window >> most_doublings, 1, flood_messages_at_first)
                  : least_at_first;
        round.streams.push_back(
            {pair, bytes, bytes, at_first, window, messages_expected, round_trip});
    }
    return round;
}

double connections_to_fill(double pace, double round_trip) {
    const double doubled = std::exp2(flood_ends_round_trips - flood_begins_round_trips);
    return std::ceil(pace * round_trip / (first_window_bytes * doubled));
}

double duration(const StreamRound& round) { return round.warm_up + round.span; }

double until_next(const StreamRound& round) {
    return duration(round) + clear_round_trips * round.round_trip;
}

double trains_apart(std::size_t sites) {
    return std::max(trains_apart_s, trains_leave_s / static_cast<double>(sites * (sites - 1)));
}

double time_to_order(const StreamRound& round) { return order_round_trips * round.round_trip; }

}  // namespace espalier::measure
