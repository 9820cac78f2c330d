#pragma once

#include "demands/planner.hpp"
#include "schedule/algorithm_entry.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace espalier::demands {

/// One line of the table of planners that heed what is demanded of an exchange, or prove it.
struct Algorithm : schedule::AlgorithmEntry {
    Planner make;
};
[[nodiscard]] std::span<const Algorithm> algorithms();

/// A planner and what it is called.
struct Named {
    std::string_view name;
    Planner make;
};
/// By its name, one of algorithms() or of plan's planners of exchanges, which know of no demands;
/// `auto`: those that are tried for the problem. Throws InputError for an unknown name.
[[nodiscard]] std::vector<Named> planners(std::string_view name, const Problem& problem);

}  // namespace espalier::demands
