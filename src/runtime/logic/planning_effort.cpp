#include "runtime/logic/planning_effort.hpp"

#include "core/meter.hpp"
#include "plan/race.hpp"

#include <algorithm>

namespace espalier::runtime {

namespace {

/// A short search has so small a part of the standard budget: plans are a few percent longer.
constexpr std::uint64_t part_of_short = 16;
/// A search goes on with so many times as many steps or not at all.
constexpr std::uint64_t more_thorough = 4;

}  // namespace

std::uint64_t short_planning(std::size_t ranks) {
    return plan::standard_budget(ranks).most_steps() / part_of_short;
}

std::optional<std::uint64_t> worth_planning(std::size_t ranks, Seconds spent,
                                            std::uint64_t before) {
    const std::uint64_t standard = plan::standard_budget(ranks).most_steps();
    if (before >= standard) return std::nullopt;
    const double longest = static_cast<double>(standard);
    const auto steps_of = [&](Seconds time) {
        return static_cast<std::uint64_t>(std::clamp(time / Meter::step, 0.0, longest));
    };
    if (before == 0) {
        const std::uint64_t steps = steps_of(spent);
        return steps >= short_planning(ranks) ? std::optional(steps) : std::nullopt;
    }
    const std::uint64_t steps = steps_of(spent / planning_charge);
    const bool is_more = steps >= more_thorough * before || steps == standard;
    return is_more ? std::optional(steps) : std::nullopt;
}

}  // namespace espalier::runtime
