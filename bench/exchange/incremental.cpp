// What refining an exchange's schedule gains over planning anew when some of the links change, and
// over keeping it.

#include "common/stopwatch.hpp"
#include "demands/objective.hpp"
#include "demands/refine.hpp"
#include "instance.hpp"
#include "network/generate_gusto.hpp"
#include "plan/exchange/list_search.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <iostream>

namespace {

using namespace espalier;
using demands::Order;
using demands::Problem;

struct Settings {
    std::size_t nodes = 50;
    std::size_t runs = 50;
    std::uint64_t seed = 1;
    double share = 0.1;  ///< of the links that change
    double factor = 2;   ///< by at most which
};

/// Sums over many runs: the ratio to the bound, and the time taken.
struct Tally {
    double ratio = 0;
    double worst = 0;
    double cpu = 0;
    double over_anew = 0;

    void add(double makespan, double bound, double best, double seconds) {
        ratio += makespan / bound;
        worst = std::max(worst, makespan / bound);
        cpu += seconds;
        over_anew = std::max(over_anew, makespan / best - 1);
    }
    void print(std::string_view name, std::size_t runs) const {
        const auto count = static_cast<double>(runs);
        fmt::print("  {:<24}{:>9.5f}{:>9.5f}{:>11.2f} ms{:>11.2f}%\n", name, ratio / count, worst,
                   cpu / count * 1e3, over_anew * 100);
    }
};

network::PairwiseNetwork changed(network::PairwiseNetwork network, const Settings& settings,
                                 Random& random) {
    for (std::size_t i = 0; i < network.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (random.uniform() >= settings.share) continue;
            const double factor = std::pow(settings.factor, random.uniform(-1, 1));
            for (const auto& [from, to] : {std::pair(i, j), std::pair(j, i)}) {
                network.startup(from, to) = *network.startup(from, to) * factor;
                network.bandwidth(from, to) =
                    BytesPerSecond(network.bandwidth(from, to)->value / factor);
            }
        }
    return network;
}

Order searched(const Problem& problem, Seconds limit) {
    Meter meter({.time = limit});
    return direct(problem, plan::exchange::list_search(problem, meter).order);
}

double makespan(const Problem& problem, const Order& order) {
    const auto ends = ends_of(problem, order);
    return *std::max_element(ends.begin(), ends.end());
}

void run(const Settings& settings) {
    fmt::print(
        "{} nodes, {} runs, {}% of the links change by up to {}: ratio to the bound (mean, "
        "worst), CPU time, over planning anew in 0.1 s at most\n",
        settings.nodes, settings.runs, settings.share * 100, settings.factor);
    for (const bench::Pattern& pattern : bench::patterns()) {
        Tally kept;
        Tally long_search;
        Tally short_search;
        Tally refined;
        for (std::size_t r = 0; r < settings.runs; ++r) {
            Random random(settings.seed * 1'000'003 + r);
            const auto before = network::random_gusto({.nodes = settings.nodes}, random);
            const auto sizes =
                network::random_sizes({.nodes = settings.nodes, .pattern = pattern.sizes}, random);
            const bench::Instance old_instance{network::Network(before), sizes};
            const bench::Instance instance{network::Network(changed(before, settings, random)),
                                           sizes};
            const Problem& problem = instance.problem();
            const Order old = searched(old_instance.problem(), Seconds(0.1));

            const double bound = instance.bound();
            const bench::Stopwatch of_long;
            const double anew = makespan(problem, searched(problem, Seconds(0.1)));
            long_search.add(anew, bound, anew, of_long.cpu());
            const bench::Stopwatch of_short;
            const Order quick = searched(problem, Seconds(0.01));
            short_search.add(makespan(problem, quick), bound, anew, of_short.cpu());
            const bench::Stopwatch of_refined;
            const Order adapted = refine(problem, old, {}).order;
            refined.add(makespan(problem, adapted), bound, anew, of_refined.cpu());
            kept.add(makespan(problem, old), bound, anew, 0);
        }
        fmt::print("{} (Figure {})\n", pattern.name, pattern.figure);
        kept.print("the old schedule", settings.runs);
        refined.print("refine", settings.runs);
        short_search.print("list-search in 10 ms", settings.runs);
        long_search.print("list-search in 0.1 s", settings.runs);
    }
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app{"Refining schedules of total exchanges when the network changes"};
    Settings settings;
    app.add_option("--nodes", settings.nodes)->check(CLI::Range(2, 1000))->capture_default_str();
    app.add_option("--runs", settings.runs)->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--seed", settings.seed)->capture_default_str();
    app.add_option("--share", settings.share)->check(CLI::Range(0.0, 1.0))->capture_default_str();
    app.add_option("--factor", settings.factor)->check(CLI::Range(1.0, 1e3))->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    run(settings);
    return EXIT_SUCCESS;
} catch (const std::exception& error) {
    std::cerr << "bench_exchange_incremental: " << error.what() << '\n';
    return EXIT_FAILURE;
}
