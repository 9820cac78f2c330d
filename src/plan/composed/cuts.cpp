#include "plan/composed/cuts.hpp"

#include "plan/composed/flow_listing.hpp"
#include "plan/composed/listing.hpp"
#include "plan/levels.hpp"
#include "plan/overhead.hpp"
#include "schedule/mirror.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>
#include <set>

namespace espalier::plan::composed {

namespace {

/// What a transfer costs that is listed, and then simulated.
double steps_a_transfer(const simulate::Fabric& fabric) {
    const auto sharers = static_cast<double>(fabric.capacities().empty() ? 0 : fabric.nodes());
    return static_cast<double>(steps_a_listed_transfer + steps_of_simulating(1, sharers));
}

/// Appends what comes between the way up, without its last edge, and the way down, without its
/// first: halves tell each other what they have.
void exchange(schedule::Schedule& schedule, const Lane& lane, std::size_t chunk) {
    const std::size_t centre = lane.up->root;
    const std::size_t sender = lane.up->first_child();
    const std::size_t receiver = lane.down->first_child();
    const auto send = [&](std::size_t from, std::size_t to, schedule::Op op) {
        schedule.transfers.push_back({.from = from, .to = to, .chunk = chunk, .op = op});
    };
    // The centre sends before it receives, so that one rank does for its half.
    send(sender, receiver, schedule::Op::copy);
    send(centre, receiver, schedule::Op::combine);
    send(sender, centre, schedule::Op::combine);
}

}  // namespace

std::size_t always_along(std::size_t edges) {
    constexpr std::size_t segments = 32;
    constexpr std::size_t transfers = 12'000;
    return std::max(segments, transfers / std::max<std::size_t>(edges, 1));
}

std::vector<std::size_t> segment_counts(const Problem& problem, std::size_t edges,
                                        const Meter& meter, std::size_t always) {
    const std::uint64_t bytes = problem.request->bytes.value;
    const Segmenting& segmenting = problem.request->segmenting;
    switch (segmenting.mode) {
        case Segmenting::Mode::none:
            return {1};
        case Segmenting::Mode::fixed: {
            const std::uint64_t size = std::max<std::uint64_t>(1, segmenting.bytes.value);
            return {std::max<std::uint64_t>(1, (bytes + size - 1) / size)};
        }
        case Segmenting::Mode::usual:
        case Segmenting::Mode::automatic:
            break;
    }
    // Of a few schedules, and there are other searches.
    const double steps = 4 * static_cast<double>(edges) * steps_a_transfer(*problem.fabric);
    std::vector<std::size_t> counts;
    for (std::size_t count = 2; bytes / count >= least_segment_bytes; count *= 2)
        if (count <= always || meter.affords(static_cast<double>(count) * steps))
            counts.push_back(count);
    return counts;
}

std::size_t best_count(const Problem& problem, const Lane& lane,
                       const std::vector<std::size_t>& counts) {
    return *std::ranges::min_element(counts, {}, [&](std::size_t count) {
        const Bytes segment = schedule::segment_bytes(problem.request->bytes, count, 0);
        return estimate(*problem.fabric, problem.ports, {lane}, segment, count) +
               problem.overhead * static_cast<double>(count);
    });
}

std::vector<schedule::Schedule> along(const Problem& problem, const Lane& lane, Meter& meter) {
    const Request& request = *problem.request;
    const std::size_t edges = (problem.job->places.size() - 1) * (lane.up && lane.down ? 2 : 1);
    const auto counts = segment_counts(problem, edges, meter, always_along(edges));
    std::set<std::size_t> chosen;
    if (request.segmenting.mode != Segmenting::Mode::fixed) chosen.insert(1);
    if (!counts.empty()) chosen.insert(best_count(problem, lane, counts));
    std::vector<schedule::Schedule> found;
    for (const std::size_t segments : chosen) {
        auto& schedule =
            found.emplace_back(put_on(problem, {lane}, in_turns(problem, 1, segments)));
        meter.spend(steps_of_listing(schedule));
        if (segments > 1) (void)list_greedily(schedule, *problem.fabric);
    }
    return found;
}

std::vector<Piece> in_turns(const Problem& problem, std::size_t lanes, std::size_t segments) {
    std::vector<Piece> pieces;
    for (std::size_t s = 0; s < segments; ++s)
        pieces.push_back(
            {s % lanes, {.bytes = schedule::segment_bytes(problem.request->bytes, segments, s)}});
    return pieces;
}

schedule::Schedule put_on(const Problem& problem, const std::vector<Lane>& lanes,
                          const std::vector<Piece>& pieces) {
    schedule::Schedule schedule = empty_schedule(problem);
    for (const Piece& piece : pieces) {
        const Lane& lane = lanes[piece.lane];
        const std::size_t chunk = schedule.chunks.size();
        auto& transfers = schedule.transfers;
        if (lane.up) combine(schedule, *lane.up, chunk);
        if (lane.exchange) {
            transfers.pop_back();
            exchange(schedule, lane, chunk);
        }
        const auto down = static_cast<std::ptrdiff_t>(transfers.size());
        if (lane.down) spread(schedule, *lane.down, chunk);
        if (lane.exchange) transfers.erase(transfers.begin() + down);
        schedule.chunks.push_back(piece.chunk);
    }
    return schedule;
}

Listed list_on(const Problem& problem, const std::vector<Lane>& lanes,
               const std::vector<Piece>& pieces, Meter& meter) {
    if (lanes.front().exchange) return list_as_they_flow(problem, lanes, pieces, meter);
    Listed listed{0, empty_schedule(problem)};
    schedule::Schedule& schedule = listed.schedule;
    for (const Piece& piece : pieces) schedule.chunks.push_back(piece.chunk);
    // Of those that could start at the same time, those up come first, as a greedy broadcast on the
    // transposed links, reversed in time, has them.
    if (lanes.front().up) {
        schedule::Schedule reversed = schedule;
        reversed.collective.kind = schedule::Kind::broadcast;
        for (std::size_t p = 0; p < pieces.size(); ++p)
            spread(reversed, *lanes[pieces[p].lane].up, p);
        meter.spend(steps_of_listing(reversed));
        (void)list_greedily(reversed, *simulate::transposed(*problem.fabric));
        schedule.transfers = schedule::mirror(reversed).transfers;
    }
    if (lanes.front().down)
        for (std::size_t p = 0; p < pieces.size(); ++p)
            spread(schedule, *lanes[pieces[p].lane].down, p);
    meter.spend(steps_of_listing(schedule));
    listed.time = list_greedily(schedule, *problem.fabric);
    return listed;
}

Listed list_as_they_flow(const Problem& problem, const std::vector<Lane>& lanes,
                         const std::vector<Piece>& pieces, Meter& meter) {
    Listed listed{0, put_on(problem, lanes, pieces)};
    const std::size_t count = listed.schedule.transfers.size();
    const std::size_t most = std::min(count, listed.schedule.nodes.size() * problem.ports);
    meter.spend(steps_of_simulating(count, static_cast<double>(most)));
    listed.time = list_as_they_flow(listed.schedule, *problem.fabric);
    return listed;
}

}  // namespace espalier::plan::composed
