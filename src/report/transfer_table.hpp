#pragma once

#include "core/time_column.hpp"
#include "report/timeline_svg.hpp"
#include "schedule/timeline.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::report {

/// The number of rows of a table that people read.
inline constexpr std::size_t readable_rows = 100;
/// `  … and 12 more; -o SCHEDULE.json writes them all`; empty where they fit.
[[nodiscard]] std::string more_rows(std::size_t rows);
/// A row for each transfer. `time_unit` as in Headline.
[[nodiscard]] std::string transfer_table(const schedule::Plan& plan, const std::string& time_unit);
/// A row for each ordered pair of groups between which messages go: how many, how much, from when
/// to when. The groups cover the plan's nodes.
[[nodiscard]] std::string transfer_summary(const schedule::Plan& plan,
                                           const std::vector<LaneGroup>& groups);
/// The column of a plan's times.
[[nodiscard]] TimeColumn time_column(const schedule::Plan& plan, const std::string& time_unit);

}  // namespace espalier::report
