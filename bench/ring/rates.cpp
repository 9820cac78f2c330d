#include "common/stopwatch.hpp"
#include "core/random.hpp"
#include "figures.hpp"
#include "ring/allocation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace espalier::bench {

namespace {

constexpr std::array<double, 6> ratios{0.03, 0.1, 0.3, 1, 3, 10};

/// A random ring of a random size from 2 on.
ring::Embedding random_ring(const ring::Problem& problem, Random& random) {
    std::vector<ring::Host> hosts(problem.platform.hosts());
    std::iota(hosts.begin(), hosts.end(), ring::Host{0});
    for (std::size_t i = hosts.size(); i > 1; --i) std::swap(hosts[i - 1], hosts[random.below(i)]);
    hosts.resize(2 + random.below(hosts.size() - 1));
    return ring::embed(problem, std::move(hosts));
}

struct Times {
    Samples max_min;
    Samples optimal;
    Samples over_best;  ///< T of max-min over the best
};

void add(Times& times, const ring::Problem& problem, const ring::Embedding& embedding) {
    const Stopwatch of_max_min;
    const ring::Rates fair = max_min_rates(problem, embedding);
    times.max_min.add(1000 * of_max_min.cpu());
    const Stopwatch of_optimal;
    const ring::Optimum optimum = optimal_rates(problem, embedding);
    times.optimal.add(1000 * of_optimal.cpu());
    const double best = optimum.division.step_time;
    times.over_best.add(divide_work(problem, embedding, fair).step_time / best - 1);
}

std::string mean_and_worst(const Samples& samples) {
    return fmt::format("{:.3g} ({:.3g})", samples.mean(), samples.greatest());
}

}  // namespace

void time_rates(const std::vector<std::size_t>& hosts, std::size_t rings) {
    fmt::print(
        "Random rings, CPU time in ms: mean (worst)\n\n"
        "| hosts | max-min | `optimal_rates` | max-min over the best T |\n"
        "| --- | --- | --- | --- |\n");
    for (const std::size_t size : hosts) {
        Times times;
        Random random(size);
        for (std::size_t ring = 0; ring < rings; ++ring) {
            const auto instance = Instance::tiers(size, ring + 1);
            const ring::Problem problem = instance->problem(ratios[ring % ratios.size()]);
            add(times, problem, random_ring(problem, random));
        }
        fmt::print("| {} | {} | {} | {:.1f}% ({:.1f}%) |\n", size, mean_and_worst(times.max_min),
                   mean_and_worst(times.optimal), 100 * times.over_best.mean(),
                   100 * times.over_best.greatest());
        (void)std::fflush(stdout);
    }
    fmt::print("\n");
}

}  // namespace espalier::bench
