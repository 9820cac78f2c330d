#pragma once

#include "study.hpp"

#include <string>
#include <vector>

namespace espalier::study {

/// Mean makespans in seconds, one line a size, for people: the columns from best to worst at the
/// last size, with the ratio to the best of each run below.
[[nodiscard]] std::string to_text(const std::vector<Row>& rows);

/// Mean makespans in seconds, one line a size, one column a heuristic: what plot.gp draws.
[[nodiscard]] std::string means_as_csv(const std::vector<Row>& rows);

/// Everything, one line a size and heuristic.
[[nodiscard]] std::string all_as_csv(const std::vector<Row>& rows);

}  // namespace espalier::study
