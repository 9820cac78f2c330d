#include "core/error.hpp"
#include "core/random.hpp"
#include "naive.hpp"
#include "plan/algorithm.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <sys/resource.h>
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace {

using namespace espalier;
using plan::grid::Order;
using plan::grid::Problem;
using Planner = Order (*)(const Problem&);

/// Latencies, gaps and inner broadcasts of steffenel-2006, Table 3, each ordered pair by itself.
Problem random_problem(std::size_t clusters, std::uint64_t seed) {
    Random random(seed);
    Problem problem{.root = 0,
                    .gap = Matrix<double>(clusters, clusters),
                    .latency = Matrix<double>(clusters, clusters),
                    .inner = {}};
    for (std::size_t i = 0; i < clusters; ++i) {
        problem.inner.push_back(random.uniform(0.02, 3));
        for (std::size_t j = 0; j < clusters; ++j) {
            problem.latency(i, j) = random.uniform(0.001, 0.015);
            problem.gap(i, j) = random.uniform(0.1, 0.6);
        }
    }
    return problem;
}

template <typename Work>
double seconds(Work work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The most memory that this process has used so far, in bytes.
double peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

struct Settings {
    std::vector<std::size_t> clusters{100, 1000, 3000};
    std::size_t naive_up_to = 1000;
    std::size_t slow_up_to = 1000;
    std::uint64_t seed = 1;
};

/// Whether the algorithm looks at far more than every pair.
bool is_slow(std::string_view name) { return name == "pipeline" || name == "bottom-up-la"; }

void run(const Settings& settings) {
    for (const std::size_t clusters : settings.clusters) {
        const Problem problem = random_problem(clusters, settings.seed);
        const double before = peak_memory();
        fmt::print("{} clusters\n", clusters);
        for (const auto& algorithm : plan::algorithms()) {
            const auto* planner = std::get_if<Planner>(&algorithm.make);
            if (planner == nullptr || (is_slow(algorithm.name) && clusters > settings.slow_up_to))
                continue;
            Order order;
            const double time = seconds([&] { order = (*planner)(problem); });
            fmt::print("  {:<20}{:>10.4f} s   makespan {:.6f} s", algorithm.name, time,
                       makespan(problem, order));
            std::optional<Order> naive;
            double naive_time = 0;
            if (clusters <= settings.naive_up_to)
                naive_time = seconds([&] { naive = scale::naive_order(algorithm.name, problem); });
            if (naive)
                fmt::print("   {}, naive {:.4f} s ({:.0f} x)",
                           *naive == order ? "same order" : "ANOTHER ORDER", naive_time,
                           naive_time / time);
            fmt::print("\n");
            std::fflush(stdout);
        }
        fmt::print("  memory: {:.0f} MB at most, {:.0f} MB of them the problem\n",
                   peak_memory() / 1e6, before / 1e6);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    CLI::App app("How long the heuristics between clusters take");
    app.add_option("--clusters", settings.clusters, "Numbers of clusters")
        ->check(CLI::Range(1, 30'000))
        ->capture_default_str();
    app.add_option("--naive-up-to", settings.naive_up_to, "Compare with the formulas up to here")
        ->capture_default_str();
    app.add_option("--slow-up-to", settings.slow_up_to, "Run pipeline and bottom-up-la up to here")
        ->capture_default_str();
    app.add_option("--seed", settings.seed, "Seed of the random grids")->capture_default_str();
    try {
        app.parse(argc, argv);
        run(settings);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(ExitStatus::bad_input);
    }
    return 0;
}
