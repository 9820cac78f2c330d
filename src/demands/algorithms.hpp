#pragma once

#include "demands/problem.hpp"
#include "schedule/algorithm_entry.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace espalier::demands {

/// A line of a table of planners of exchanges.
struct Algorithm : schedule::AlgorithmEntry {
    Planner make;
};
/// The planners that take demands on an exchange into account, or prove a plan best.
[[nodiscard]] std::span<const Algorithm> algorithms();

/// The planners of that name: one of algorithms(), or of plan's planners of exchanges, which know
/// of no demands; for `auto`, those that are tried for the problem. Throws InputError for an
/// unknown name.
[[nodiscard]] std::vector<Algorithm> planners(std::string_view name, const Problem& problem);

}  // namespace espalier::demands
