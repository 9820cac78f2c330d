#include "sender/ticks.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <optional>

namespace espalier::sender {

namespace {

constexpr double most_ticks = 0x1p58;
constexpr int most_decimals = 12;

/// The whole number that this is, but for the rounding of a decimal fraction to binary.
std::optional<double> whole(double number) {
    const double nearest = std::round(number);
    if (nearest < 1 || std::abs(number - nearest) > 2 * nearest * 0x1p-52) return std::nullopt;
    return nearest;
}

bool fills(const Problem& problem, double horizon, double scale) {
    return std::ranges::all_of(problem.classes, [&](const Problem::Class& members) {
        return members.time > horizon || whole(members.time * scale).has_value();
    });
}

/// The least power of ten that makes all times whole.
std::optional<double> decimal_scale(const Problem& problem, double horizon) {
    double scale = 1;
    for (int digits = 0; digits <= most_decimals && horizon * scale < most_ticks; ++digits) {
        if (fills(problem, horizon, scale)) return scale;
        scale *= 10;
    }
    return std::nullopt;
}

}  // namespace

TickProblem in_ticks(const Problem& problem, double horizon) {
    TickProblem result{.kind = problem.kind,
                       .time = {},
                       .count = {},
                       .root = problem.root,
                       .ports = problem.ports};
    const auto decimal = decimal_scale(problem, horizon);
    result.exact = decimal.has_value();
    const double scale = decimal.value_or(std::exp2(58 - std::ceil(std::log2(horizon))));
    Ticks common = 0;
    for (const auto& members : problem.classes) {
        result.count.push_back(members.count);
        if (members.time > horizon) {
            result.time.push_back(0);  // set below, when the horizon is known
            continue;
        }
        const double ticks = members.time * scale;
        result.time.push_back(
            static_cast<Ticks>(result.exact ? std::round(ticks) : std::floor(ticks)));
        assert(result.time.back() > 0);  // make_problem keeps times near enough to each other
        common = std::gcd(common, result.time.back());
    }
    if (!result.exact || common == 0) common = 1;
    result.tick = static_cast<double>(common) / scale;
    // One more than rounding could take away.
    result.horizon = static_cast<Ticks>(std::ceil(horizon / result.tick * (1 + 0x1p-50))) + 1;
    for (Ticks& time : result.time) time = time == 0 ? result.horizon + 1 : time / common;
    return result;
}

}  // namespace espalier::sender
