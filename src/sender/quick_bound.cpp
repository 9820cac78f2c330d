#include "sender/quick_bound.hpp"

#include "sender/sequence.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace espalier::sender {

namespace {

/// How many bases between one power of two and the next are tried.
constexpr int bases_tried = 16;
constexpr int most_doublings = 40;
/// More than the rounding of a sum of times.
constexpr double rounding = 1e-12;

/// All nodes in the order of their classes, fastest first.
Sequence fastest_first(const Problem& problem, std::size_t root) {
    Sequence sequence{root, {}};
    for (std::size_t c = 0; c < problem.classes.size(); ++c)
        if (const auto count = problem.classes[c].count - (c == root ? 1 : 0); count > 0)
            sequence.runs.push_back({c, count});
    return sequence;
}

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
    const auto course = run_course(problem, fastest_first(problem, problem.root.value_or(0)),
                                   std::span<const Ticks>(time));
    return static_cast<double>(course.makespan) * base * (1 - rounding);
}

/// With every node but the root as fast as the fastest.
double uniform_bound(const Problem& problem, std::size_t root) {
    const double fastest = problem.classes.front().time;
    Problem uniform = problem;
    uniform.classes = {{problem.is_broadcast() ? problem.classes[root].time : fastest, 1},
                       {fastest, problem.nodes() - 1}};
    if (problem.nodes() == 1) return 0;
    const std::vector<double> time{uniform.classes[0].time, fastest};
    const auto course =
        run_course(uniform, Sequence{0, {{1, problem.nodes() - 1}}}, std::span<const double>(time));
    return course.makespan * (1 - rounding);
}

double slowest_sender(const Problem& problem) {
    std::size_t c = problem.classes.size();
    while (c-- > 0)
        if (problem.classes[c].count > (problem.root == c ? 1U : 0U))
            return problem.classes[c].time;
    return 0;
}

}  // namespace

double plain_bound(const Problem& problem) {
    const double bound = uniform_bound(problem, problem.root.value_or(0));
    return problem.is_broadcast() ? bound : std::max(bound, slowest_sender(problem));
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
