#include "study.hpp"
#include "common/table_3.hpp"

#include "core/matrix.hpp"
#include "core/random.hpp"
#include "plan/algorithm.hpp"
#include "plan/grid/problem.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

namespace espalier::study {
namespace {

using plan::grid::Order;
using plan::grid::Problem;

struct Heuristic {
    std::string_view name;
    Order (*make)(const Problem&);
};

/// All heuristics between clusters, but for the one that plans for a stream of segments: the study
/// is about one message.
std::vector<Heuristic> heuristics() {
    std::vector<Heuristic> found;
    for (const plan::Algorithm& algorithm : plan::algorithms()) {
        const auto* make = std::get_if<Order (*)(const Problem&)>(&algorithm.make);
        if (make != nullptr && algorithm.name != "pipeline")
            found.push_back({.name = algorithm.name, .make = *make});
    }
    return found;
}

/// A seed of its own for each grid (the finalizer of SplitMix64), so that any thread can draw it.
std::uint64_t seed_of(std::uint64_t seed, std::size_t clusters, std::size_t run) {
    std::uint64_t mixed = seed;
    for (const std::uint64_t part : {std::uint64_t{clusters}, std::uint64_t{run}}) {
        mixed = (mixed ^ part) + 0x9e3779b97f4a7c15U;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
        mixed ^= mixed >> 31;
    }
    return mixed;
}

/// The makespans: one row a run, one column a heuristic.
Matrix<double> makespans(const Settings& settings, std::size_t clusters,
                         const std::vector<Heuristic>& contestants) {
    Matrix<double> found(settings.runs, contestants.size());
    std::atomic<std::size_t> next_run = 0;
    const auto work = [&] {
        for (std::size_t run = next_run++; run < settings.runs; run = next_run++) {
            Random random(seed_of(settings.seed, clusters, run));
            const Problem problem = bench::draw_table_3(random, clusters);
            for (std::size_t h = 0; h < contestants.size(); ++h)
                found(run, h) = makespan(problem, contestants[h].make(problem));
        }
    };
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < settings.threads; ++t) threads.emplace_back(work);
    threads.clear();
    return found;
}

Row summarise(std::size_t clusters, const Matrix<double>& found,
              const std::vector<Heuristic>& contestants) {
    const std::size_t runs = found.rows();
    const auto count = static_cast<double>(runs);
    std::vector<double> best(runs);
    for (std::size_t run = 0; run < runs; ++run)
        best[run] = std::min_element(&found(run, 0), &found(run, 0) + found.columns())[0];

    Row row{.clusters = clusters, .results = {}};
    for (std::size_t h = 0; h < contestants.size(); ++h) {
        Result result{.algorithm = contestants[h].name};
        for (std::size_t run = 0; run < runs; ++run) {
            result.mean_s += found(run, h) / count;
            result.to_best += found(run, h) / best[run] / count;
            // Equal orders found in different ways may differ by a rounding.
            if (found(run, h) <= best[run] * (1 + 1e-12)) result.best_share += 1 / count;
        }
        double squares = 0;
        for (std::size_t run = 0; run < runs; ++run)
            squares += (found(run, h) - result.mean_s) * (found(run, h) - result.mean_s);
        if (runs > 1) result.confidence_s = 1.96 * std::sqrt(squares / (count - 1) / count);
        row.results.push_back(result);
    }
    return row;
}

}  // namespace

std::vector<Row> simulate_grids(const Settings& settings) {
    const std::vector<Heuristic> contestants = heuristics();
    std::vector<Row> rows;
    for (const std::size_t clusters : settings.clusters)
        rows.push_back(
            summarise(clusters, makespans(settings, clusters, contestants), contestants));
    return rows;
}

}  // namespace espalier::study
