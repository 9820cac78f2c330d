#pragma once

#include "core/json_reader.hpp"
#include "schedule/timeline.hpp"

#include <string>

namespace espalier::schedule {

/// Format `espalier-schedule`, version 1.
[[nodiscard]] Json to_json(const Plan& plan);
/// The text of to_json(), with no document in memory for each transfer.
[[nodiscard]] std::string to_json_text(const Plan& plan);

/// A plan as a file states it: its times and its makespan are claims until they are checked. A file
/// without times yields an empty timeline. Throws InputError naming file and field.
struct StatedPlan {
    Plan plan;
    bool has_times = false;
    bool has_makespan = false;
};
[[nodiscard]] StatedPlan parse_schedule(const std::string& text, const std::string& source);
[[nodiscard]] StatedPlan read_schedule(const std::string& path);

}  // namespace espalier::schedule
