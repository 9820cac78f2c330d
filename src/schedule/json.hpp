#pragma once

#include "core/json.hpp"
#include "schedule/demands.hpp"
#include "schedule/timeline.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::schedule {

/// Format `espalier-schedule`, version 1.
[[nodiscard]] Json to_json(const Plan& plan);
/// The text of to_json(), with no document in memory for each transfer.
[[nodiscard]] std::string to_json_text(const Plan& plan);

/// `met`; `missed`; `impossible`: missed, and it is proven that every schedule misses some.
[[nodiscard]] std::string_view word_for_deadlines(const std::vector<Missed>& missed,
                                                  double missed_bound);
/// `percentile`, `makespan` and, where one is known, `lower_bound`.
[[nodiscard]] Json to_json(const Robust& robust);
/// Adds what a timed plan says of its critical node and its deadlines, if it has any.
void add_demands(Json& document, const Plan& plan);

/// A plan as a file states it: its times and its makespan are claims until they are checked. A file
/// without times yields an empty timeline. Throws InputError naming file and field.
struct StatedPlan {
    Plan plan;
    bool has_times = false;
    bool has_makespan = false;
    /// What the plan states of its demands.
    std::optional<Seconds> critical_done;
    std::optional<std::vector<Missed>> missed;
};
[[nodiscard]] StatedPlan parse_schedule(const std::string& text, const std::string& source);
[[nodiscard]] StatedPlan read_schedule(const std::string& path);

}  // namespace espalier::schedule
