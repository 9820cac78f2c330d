// How good search and optimal are between clusters, and how fast.

#include "common/table_3.hpp"
#include "core/infinity.hpp"
#include "core/random.hpp"
#include "plan/algorithm.hpp"
#include "plan/grid/exact.hpp"
#include "plan/grid/search.hpp"
#include "simulate/slot_prices.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <vector>

namespace {

using namespace espalier;
using plan::grid::makespan;
using plan::grid::Order;
using plan::grid::Problem;

struct Settings {
    std::vector<std::size_t> clusters{8, 10, 20, 50, 200};
    std::size_t runs = 0;  ///< 0: as suits the clusters
    std::uint64_t seed = 1;
    double time_ms = 0;       ///< of the search; 0: as suits the clusters
    double reference_ms = 0;  ///< of the reference where nothing is proven
};

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double best_rule(const Problem& problem) {
    double best = infinity;
    for (const auto& algorithm : plan::algorithms())
        if (const auto* rule = std::get_if<Order (*)(const Problem&)>(&algorithm.make))
            if (algorithm.name != "pipeline")
                best = std::min(best, makespan(problem, (*rule)(problem)));
    return best;
}

/// Samples of one quantity.
class Samples {
public:
    void add(double value) { values_.push_back(value); }
    [[nodiscard]] double mean() const {
        double sum = 0;
        for (const double value : values_) sum += value;
        return sum / static_cast<double>(values_.size());
    }
    [[nodiscard]] double quantile(double part) {
        std::sort(values_.begin(), values_.end());
        const auto last = static_cast<double>(values_.size() - 1);
        return values_[static_cast<std::size_t>(part * last + 0.5)];
    }

private:
    std::vector<double> values_;
};

std::string percent(std::size_t part, std::size_t all) {
    return fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(all));
}

struct Times {
    double cpu = 0;
    double wall = 0;
};
template <typename Work>
auto timed(Times& times, Work work) {
    const double cpu = cpu_seconds();
    const auto wall = std::chrono::steady_clock::now();
    auto result = work();
    times.cpu = cpu_seconds() - cpu;
    times.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    return result;
}

void measure(const Settings& settings, std::size_t clusters) {
    const double limit_ms = settings.time_ms > 0 ? settings.time_ms
                            : clusters <= 20     ? 10
                            : clusters <= 50     ? 100
                                                 : 1000;
    const std::size_t runs = settings.runs > 0 ? settings.runs
                             : clusters <= 10  ? 1000
                             : clusters <= 20  ? 200
                             : clusters <= 50  ? 50
                                               : 20;
    const double reference_ms = settings.reference_ms > 0 ? settings.reference_ms : 10 * limit_ms;
    Samples to_best;
    Samples rule_to_best;
    Samples bound_gap;
    Samples cpu;
    Samples wall;
    Samples proof;
    std::size_t exact = 0;
    std::size_t beats = 0;
    std::size_t ties = 0;
    std::size_t proven = 0;
    for (std::size_t run = 0; run < runs; ++run) {
        Random random(settings.seed * 1'000'003 + clusters * 10'007 + run);
        const Problem problem = bench::draw_table_3(random, clusters);
        Times times;
        const auto found = timed(times, [&] {
            Meter meter({Seconds(limit_ms / 1000)});
            return plan::grid::search(problem, meter);
        });
        cpu.add(times.cpu * 1000);
        wall.add(times.wall * 1000);
        const double end = makespan(problem, found.order);
        const auto best = timed(times, [&] {
            Meter meter({Seconds(reference_ms / 1000)});
            return plan::grid::optimal(problem, meter);
        });
        proof.add(times.cpu * 1000);
        const double least = std::min(end, makespan(problem, best.order));
        const double rule = best_rule(problem);
        proven += best.optimal ? 1 : 0;
        exact += end <= least * (1 + 1e-9) ? 1 : 0;
        beats += end < rule * (1 - 1e-9) ? 1 : 0;
        ties += end <= rule * (1 + 1e-9) && end >= rule * (1 - 1e-9) ? 1 : 0;
        to_best.add(end / least);
        rule_to_best.add(rule / least);
        Meter meter({Seconds(reference_ms / 1000)});
        const auto priced = simulate::find_prices(plan::grid::each_by_itself(problem),
                                                  plan::grid::bound_of_one(problem), least, meter);
        bound_gap.add(least / priced.bound);
    }
    fmt::print(
        "{:4} clusters, {} runs, search within {} ms: ratio to the best mean {:.5f}, 99th "
        "percentile {:.4f}, greatest {:.4f}, equal {}; better than the best rule {} (equal {}), "
        "whose ratio is {:.4f}; CPU mean {:.2f} ms, greatest {:.2f} ms (wall {:.2f} ms)\n",
        clusters, runs, limit_ms, to_best.mean(), to_best.quantile(0.99), to_best.quantile(1),
        percent(exact, runs), percent(beats, runs), percent(ties, runs), rule_to_best.mean(),
        cpu.mean(), cpu.quantile(1), wall.quantile(1));
    fmt::print(
        "     optimal within {} ms: proven {}, CPU mean {:.2f} ms, median {:.2f} ms, greatest "
        "{:.1f} ms; best over the bound of slot prices mean {:.5f}, greatest {:.4f}\n",
        reference_ms, percent(proven, runs), proof.mean(), proof.quantile(0.5), proof.quantile(1),
        bound_gap.mean(), bound_gap.quantile(1));
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    CLI::App app("search and optimal between clusters, on random grids");
    app.add_option("--clusters", settings.clusters, "how many")->capture_default_str();
    app.add_option("--runs", settings.runs, "of each; 0: 1000 to 20, as suits the clusters");
    app.add_option("--seed", settings.seed)->capture_default_str();
    app.add_option("--time-ms", settings.time_ms, "of search; 0: 10, 100 or 1000");
    app.add_option("--reference-ms", settings.reference_ms, "of optimal; 0: ten times as long");
    CLI11_PARSE(app, argc, argv);
    for (const std::size_t clusters : settings.clusters) measure(settings, clusters);
    return 0;
}
