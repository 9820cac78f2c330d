#include "support/grid_problems.hpp"

namespace espalier::test {
namespace {

template <typename Latency, typename Gap, typename Inner>
plan::grid::Problem make_problem(Random& random, std::size_t clusters, Latency latency, Gap gap,
                                 Inner inner) {
    plan::grid::Problem problem{.root = random.below(clusters),
                                .gap = Matrix<double>(clusters, clusters),
                                .latency = Matrix<double>(clusters, clusters),
                                .inner = std::vector<double>(clusters)};
    for (std::size_t i = 0; i < clusters; ++i) {
        problem.inner[i] = inner();
        for (std::size_t j = 0; j < clusters; ++j) {
            if (i == j) continue;
            problem.latency(i, j) = latency();
            problem.gap(i, j) = gap();
        }
    }
    return problem;
}

}  // namespace

plan::grid::Problem random_problem(Random& random, std::size_t clusters, const GridRanges& ranges) {
    const auto within = [&random](Range range) {
        return [&random, range] { return random.uniform(range.low, range.high); };
    };
    auto problem = make_problem(random, clusters, within(ranges.latency), within(ranges.gap),
                                within(ranges.inner));
    if (ranges.ports > 1) problem.ports = 1 + random.below(ranges.ports);
    return problem;
}

plan::grid::Problem random_problem_with_ties(Random& random, std::size_t clusters,
                                             std::size_t values, std::size_t ports) {
    const auto whole = [&random, values] { return static_cast<double>(1 + random.below(values)); };
    auto problem = make_problem(random, clusters, whole, whole, whole);
    problem.ports = ports;
    return problem;
}

}  // namespace espalier::test
