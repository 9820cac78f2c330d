#pragma once

#include "schedule/timeline.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace espalier::schedule {

/// Whether more is asked of a schedule than to be over soon: a critical node, or deadlines.
[[nodiscard]] bool has_demands(const Schedule& schedule);
[[nodiscard]] bool has_deadlines(const Schedule& schedule);

/// Whether `end` is after `deadline` by more than times lose when a file states them in decimal.
[[nodiscard]] bool is_late(double end, double deadline);

/// When each chunk has reached its receiver; nullopt if no transfer brings it there.
[[nodiscard]] std::vector<std::optional<Seconds>> arrivals(const Schedule& schedule,
                                                           const Timeline& timeline);

/// A chunk that reaches whom it is for after its deadline.
struct Missed {
    std::size_t chunk = 0;
    Seconds end;

    friend bool operator==(const Missed&, const Missed&) = default;
};
/// The chunks that miss their deadlines, in the order of the chunks.
[[nodiscard]] std::vector<Missed> missed_deadlines(const Schedule& schedule,
                                                   const Timeline& timeline);
/// The sum of what missing them counts.
[[nodiscard]] double total_priority(const Schedule& schedule, const std::vector<Missed>& missed);

/// When the last chunk that the critical node has for others, or is to receive, has arrived; 0 if
/// there is none, or no critical node.
[[nodiscard]] Seconds critical_done(const Schedule& schedule, const Timeline& timeline);

}  // namespace espalier::schedule
