#include "schedule/level_by_level.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace espalier::schedule {

namespace {

bool is_cut_alike(const Schedule& schedule, std::size_t segments) {
    return std::ranges::all_of(schedule.chunks,
                               [&](const Chunk& chunk) { return chunk.segments == segments; }) &&
           std::ranges::all_of(schedule.local, [&](const LocalPart& part) {
               return part.schedule == nullptr || is_cut_alike(*part.schedule, segments);
           });
}

/// The schedule with one chunk for each segment, the transfers of each before those of the next,
/// step by step.
Schedule spelled_out(const Schedule& schedule) {
    Schedule result = schedule;
    for (LocalPart& part : result.local)
        if (part.schedule)
            part.schedule = std::make_shared<const Schedule>(spelled_out(*part.schedule));
    const Chunk whole = schedule.chunks.front();
    if (schedule.chunks.size() > 1 || whole.segments == 1) return result;
    result.chunks.clear();
    for (std::size_t s = 0; s < whole.segments; ++s) {
        Chunk& chunk = result.chunks.emplace_back(whole);
        chunk.bytes = segment_bytes(whole.bytes, whole.segments, s);
        chunk.segments = 1;
    }
    result.transfers.clear();
    result.barriers.push_back(schedule.transfers.size());
    std::size_t begin = 0;
    for (std::size_t& barrier : result.barriers) {
        const std::size_t end = barrier;
        for (std::size_t s = 0; s < whole.segments; ++s)
            for (std::size_t t = begin; t < end; ++t) {
                Transfer& transfer = result.transfers.emplace_back(schedule.transfers[t]);
                assert(!transfer.segments && !transfer.after);
                transfer.chunk = s;
            }
        begin = end;
        barrier = result.transfers.size();
    }
    result.barriers.pop_back();
    return result;
}

}  // namespace

Schedule level_by_level(Schedule schedule) {
    if (schedule.chunks.empty() || is_cut_alike(schedule, schedule.chunks.front().segments))
        return schedule;
    return spelled_out(schedule);
}

}  // namespace espalier::schedule
