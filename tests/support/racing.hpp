#pragma once

#include "plan/race.hpp"

#include <utility>

namespace espalier::plan {

/// The best plan that a race finds.
[[nodiscard]] inline Ranked ranked_best(const Job& job, const Request& request,
                                        const std::optional<Limits>& budget = std::nullopt) {
    return std::move(race(job, request, budget).ranked.front());
}
[[nodiscard]] inline schedule::Plan plan_best(const Job& job, const Request& request,
                                              const std::optional<Limits>& budget = std::nullopt) {
    return ranked_best(job, request, budget).plan;
}

}  // namespace espalier::plan
