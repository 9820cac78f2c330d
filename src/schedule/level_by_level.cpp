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

/// One chunk for each segment, and the transfers of each before those of the next.
Schedule spelled_out(const Schedule& schedule) {
    Schedule result = schedule;
    for (LocalPart& part : result.local)
        if (part.schedule)
            part.schedule = std::make_shared<const Schedule>(spelled_out(*part.schedule));
    const Chunk whole = schedule.chunks.front();
    if (schedule.chunks.size() > 1 || whole.segments == 1) return result;
    result.chunks.clear();
    result.transfers.clear();
    for (std::size_t s = 0; s < whole.segments; ++s) {
        Chunk& chunk = result.chunks.emplace_back(whole);
        chunk.bytes = segment_bytes(whole.bytes, whole.segments, s);
        chunk.segments = 1;
        for (Transfer transfer : schedule.transfers) {
            assert(!transfer.segments && !transfer.after);
            transfer.chunk = s;
            result.transfers.push_back(transfer);
        }
    }
    return result;
}

}  // namespace

Schedule level_by_level(Schedule schedule) {
    if (schedule.chunks.empty() || is_cut_alike(schedule, schedule.chunks.front().segments))
        return schedule;
    return spelled_out(schedule);
}

}  // namespace espalier::schedule
