#pragma once

#include "schedule/algorithm_entry.hpp"
#include "sender/result.hpp"

#include <span>
#include <string_view>

namespace espalier::sender {

/// One line of the table of algorithms that order nodes which differ in their sending times.
struct Algorithm : schedule::AlgorithmEntry {
    Planner make;
};

[[nodiscard]] std::span<const Algorithm> algorithms();
/// The one of that name; nullptr where there is none, or where it does not serve that kind.
[[nodiscard]] const Algorithm* find_algorithm(schedule::Kind kind, std::string_view name);

}  // namespace espalier::sender
