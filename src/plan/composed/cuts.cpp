#include "plan/composed/cuts.hpp"

#include "plan/composed/listing.hpp"
#include "plan/levels.hpp"
#include "schedule/mirror.hpp"
#include "simulate/transposed.hpp"

#include <algorithm>
#include <set>

namespace espalier::plan::composed {

namespace {

/// Each of so few segments may always go to every rank.
constexpr std::size_t always_segments = 32;
constexpr std::size_t most_transfers = 12'000;

}  // namespace

std::vector<std::size_t> segment_counts(const Request& request, std::size_t most) {
    const std::uint64_t bytes = request.bytes.value;
    switch (request.segmenting.mode) {
        case Segmenting::Mode::none:
            return {1};
        case Segmenting::Mode::fixed: {
            const std::uint64_t size = std::max<std::uint64_t>(1, request.segmenting.bytes.value);
            return {std::max<std::uint64_t>(1, (bytes + size - 1) / size)};
        }
        case Segmenting::Mode::usual:
        case Segmenting::Mode::automatic:
            break;
    }
    std::vector<std::size_t> counts;
    for (std::size_t count = 2; count <= most && bytes / count >= least_segment_bytes; count *= 2)
        counts.push_back(count);
    return counts;
}

std::size_t most_segments_along(std::size_t edges) {
    return std::max(always_segments, most_transfers / std::max<std::size_t>(1, edges));
}

std::vector<schedule::Schedule> along(const Problem& problem, const Lane& lane) {
    const Request& request = *problem.request;
    const std::size_t edges = (problem.job->places.size() - 1) * (lane.up && lane.down ? 2 : 1);
    const auto counts = segment_counts(request, most_segments_along(edges));
    std::set<std::size_t> chosen;
    if (request.segmenting.mode != Segmenting::Mode::fixed) chosen.insert(1);
    if (!counts.empty())
        chosen.insert(*std::ranges::min_element(counts, {}, [&](std::size_t count) {
            const Bytes segment = schedule::segment_bytes(request.bytes, count, 0);
            const Estimate found = estimate(*problem.fabric, {lane}, segment, count);
            return found.depth + found.load + problem.overhead * static_cast<double>(count);
        }));
    std::vector<schedule::Schedule> found;
    for (const std::size_t segments : chosen) {
        auto& schedule = found.emplace_back(empty_schedule(problem));
        for (std::size_t s = 0; s < segments; ++s) {
            schedule.chunks.push_back(
                {.bytes = schedule::segment_bytes(request.bytes, segments, s)});
            if (lane.up) combine(schedule, *lane.up, s);
            if (lane.down) spread(schedule, *lane.down, s);
        }
        if (segments > 1) (void)list_greedily(schedule, *problem.fabric);
    }
    return found;
}

Turns in_turns(std::size_t lanes, std::size_t segments) {
    Turns turns;
    for (std::size_t s = 0; s < segments; ++s) turns.push_back(s % lanes);
    return turns;
}

Listed list_on(const Problem& problem, const std::vector<Lane>& lanes, const Turns& turns,
               double pace) {
    Listed listed{0, empty_schedule(problem)};
    schedule::Schedule& schedule = listed.schedule;
    for (std::size_t s = 0; s < turns.size(); ++s)
        schedule.chunks.push_back(
            {.bytes = schedule::segment_bytes(problem.request->bytes, turns.size(), s)});
    const auto lane = [&](std::size_t s) -> const Lane& { return lanes[turns[s]]; };
    // Of those that could start at the same time, those up come first, as a greedy broadcast on the
    // links turned round, read backwards, has them.
    if (lane(0).up) {
        schedule::Schedule turned = schedule;
        turned.collective.kind = schedule::Kind::broadcast;
        for (std::size_t s = 0; s < turns.size(); ++s) spread(turned, *lane(s).up, s);
        (void)list_greedily(turned, *simulate::transposed(*problem.fabric), pace);
        schedule.transfers = schedule::mirror(turned).transfers;
    }
    if (lane(0).down)
        for (std::size_t s = 0; s < turns.size(); ++s) spread(schedule, *lane(s).down, s);
    listed.time = list_greedily(schedule, *problem.fabric, pace);
    return listed;
}

}  // namespace espalier::plan::composed
