#include "schedule/demands.hpp"

#include <algorithm>

namespace espalier::schedule {

bool has_deadlines(const Schedule& schedule) {
    return std::ranges::any_of(schedule.chunks,
                               [](const Chunk& chunk) { return chunk.deadline.has_value(); });
}

bool has_demands(const Schedule& schedule) {
    return schedule.critical.has_value() || has_deadlines(schedule);
}

bool is_late(double end, double deadline) {
    constexpr double tolerance = 1e-9;
    return end > deadline * (1 + tolerance) + 1e-15;
}

std::vector<std::optional<Seconds>> arrivals(const Schedule& schedule, const Timeline& timeline) {
    std::vector<std::optional<Seconds>> found(schedule.chunks.size());
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const Transfer& transfer = schedule.transfers[t];
        const Seconds end = timeline.transfers[t].end;
        for (std::size_t c = transfer.chunk; c < transfer.chunk + transfer.chunks; ++c)
            if (schedule.chunks[c].target == transfer.to)
                found[c] = found[c] ? std::min(*found[c], end) : end;
    }
    return found;
}

std::vector<Missed> missed_deadlines(const Schedule& schedule, const Timeline& timeline) {
    std::vector<Missed> missed;
    if (!has_deadlines(schedule)) return missed;
    const auto ends = arrivals(schedule, timeline);
    for (std::size_t c = 0; c < schedule.chunks.size(); ++c)
        if (const auto& deadline = schedule.chunks[c].deadline;
            deadline && ends[c] && is_late(ends[c]->value, deadline->value))
            missed.push_back({c, *ends[c]});
    return missed;
}

double total_priority(const Schedule& schedule, const std::vector<Missed>& missed) {
    double total = 0;
    for (const Missed& one : missed) total += schedule.chunks[one.chunk].priority;
    return total;
}

Seconds critical_done(const Schedule& schedule, const Timeline& timeline) {
    Seconds done(0);
    if (!schedule.critical) return done;
    const auto ends = arrivals(schedule, timeline);
    for (std::size_t c = 0; c < schedule.chunks.size(); ++c) {
        const Chunk& chunk = schedule.chunks[c];
        const bool own = chunk.source == schedule.critical || chunk.target == schedule.critical;
        if (own && ends[c]) done = std::max(done, *ends[c]);
    }
    return done;
}

}  // namespace espalier::schedule
