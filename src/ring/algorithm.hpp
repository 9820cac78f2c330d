#pragma once

#include "ring/planner.hpp"
#include "schedule/algorithm_entry.hpp"

#include <span>
#include <string_view>

namespace espalier::ring {

/// One line of the table of what plans rings of hosts that divide work (of no collective).
struct Algorithm : schedule::AlgorithmEntry {
    Planner make = nullptr;
};

/// Every algorithm there is for rings.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// nullptr where none has that name.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);

}  // namespace espalier::ring
