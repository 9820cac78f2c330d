#include "sender/quick_bound.hpp"

#include "sender/sequence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace espalier::sender {

namespace {

/// The number of bases between one power of two and the next that are tried.
constexpr int bases_tried = 16;
constexpr int most_doublings = 40;
/// A bound on the relative rounding error of a sum of times.
constexpr double rounding = 1e-12;

/// Fastest first among nodes whose times are rounded down to base * 2^j: optimal for those.
double rounded_bound(const Problem& problem, double base) {
    std::vector<Ticks> time;
    for (const auto& members : problem.classes) {
        const int doublings = std::clamp(
            static_cast<int>(std::floor(std::log2(members.time / base))), 0, most_doublings);
        // The logarithm may have been rounded up.
        const bool fits = std::ldexp(base, doublings) <= members.time;
        time.push_back(Ticks{1} << (fits || doublings == 0 ? doublings : doublings - 1));
    }
    const auto course = run_course(problem, fastest_first(problem), std::span<const Ticks>(time));
    return static_cast<double>(course.makespan) * base * (1 - rounding);
}

}  // namespace

double plain_bound(const Problem& problem) {
    const std::uint64_t others = problem.nodes() - 1;
    if (others == 0) return 0;
    const double fastest = problem.classes.front().time;
    const std::array time{
        problem.is_broadcast() ? problem.classes[problem.root.value_or(0)].time : fastest, fastest};
    const Problem uniform{.kind = problem.kind,
                          .classes = {{time[0], 1}, {time[1], others}},
                          .root = 0,
                          .ports = problem.ports};
    const double bound =
        run_course(uniform, {0, {{1, others}}}, std::span<const double>(time)).makespan *
        (1 - rounding);
    if (problem.is_broadcast()) return bound;
    return std::max(bound, problem.classes[fastest_first(problem).runs.back().class_index].time);
}

double quick_bound(const Problem& problem) {
    double bound = plain_bound(problem);
    if (!problem.is_broadcast() || problem.ports > 1) return bound;
    for (int i = 0; i < bases_tried; ++i)
        bound = std::max(bound, rounded_bound(problem, problem.classes.front().time *
                                                           std::exp2(-double(i) / bases_tried)));
    return bound;
}

}  // namespace espalier::sender
