#pragma once

#include "schedule/timeline.hpp"

#include <cstddef>
#include <string>

namespace espalier::report {

/// The number of rows of a table that people read.
inline constexpr std::size_t readable_rows = 100;
/// `  … and 12 more; -o SCHEDULE.json writes them all`; empty where they fit.
[[nodiscard]] std::string more_rows(std::size_t rows);
/// A row for each transfer. `time_unit` as in Headline.
[[nodiscard]] std::string transfer_table(const schedule::Plan& plan, const std::string& time_unit);

}  // namespace espalier::report
