#pragma once

#include "plan/grid/problem.hpp"

#include <optional>
#include <string_view>

namespace espalier::scale {

/// The greedy heuristics by their formulas (docs/grid.md): every round looks at every pair of a
/// sender and a receiver. O(n^3) time; one port. nullopt for names without a greedy formula of that
/// cost.
[[nodiscard]] std::optional<plan::grid::Order> naive_order(std::string_view name,
                                                           const plan::grid::Problem& problem);

}  // namespace espalier::scale
