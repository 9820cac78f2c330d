#include "core/files.hpp"
#include "core/infinity.hpp"
#include "figures.hpp"
#include "report/plot.hpp"
#include "ring/greedy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace espalier::bench {

namespace {

/// T / W by size, from 1 on, as far as the ring grows.
using Curve = std::vector<double>;

Curve grow(const Instance& instance, double ratio, ring::Refinement refinement) {
    const ring::Problem problem = instance.problem(ratio);
    ring::GreedyGrowth growth(problem,
                              {.refinement = refinement, .limits = {.time = Seconds(1e7)}});
    Curve curve;
    do {
        const ring::Solution& ring = growth.solution();
        curve.resize(ring.embedding.size(), std::numeric_limits<double>::quiet_NaN());
        curve.back() = ring.division.step_time;
    } while (growth.grow());
    return curve;
}

/// The mean of the curves, up to the size that the rings of all platforms reach.
Curve mean_of(const std::vector<Curve>& curves) {
    const std::size_t size = std::ranges::min_element(curves, {}, &Curve::size)->size();
    Curve mean(size, 0);
    for (const Curve& curve : curves)
        for (std::size_t i = 0; i < size; ++i)
            mean[i] += curve[i] / static_cast<double>(curves.size());
    return mean;
}

std::size_t best_size(const Curve& curve) {
    return static_cast<std::size_t>(std::ranges::min_element(curve) - curve.begin()) + 1;
}

/// Whether T falls up to the best size and rises from there on.
bool monotone_about_best(const Curve& curve) {
    const auto best = std::ranges::min_element(curve);
    return std::is_sorted(curve.begin(), best, std::greater<>{}) &&
           std::is_sorted(best, curve.end());
}

std::string joined(const Curve& curve) {
    std::string text;
    for (const std::size_t size : {1U, 2U, 3U, 5U, 7U, 10U, 15U, 20U, 30U, 37U, 50U, 70U})
        if (size <= curve.size()) text += fmt::format(" {}: {:.4g},", size, curve[size - 1]);
    if (!text.empty()) text.pop_back();
    return text;
}

report::Series series_of(const std::string& name, const Curve& curve, std::size_t colour,
                         report::Series::Line line) {
    report::Series series{.name = name, .line = line, .markers = false, .colour = colour};
    for (std::size_t i = 0; i < curve.size(); ++i)
        series.points.push_back({static_cast<double>(i + 1), curve[i]});
    return series;
}

void draw_ratio(std::size_t hosts, const std::vector<std::vector<Curve>>& curves, double ratio,
                const std::string& folder) {
    report::Plot plot{
        .title = fmt::format("Step of greedily grown rings, {} hosts, H/W = {}", hosts, ratio),
        .subtitle = fmt::format("solid: mean of {} platforms; dashed: the first of them",
                                curves.front().size()),
        .x = {.title = "hosts in the ring"},
        .y = {.title = "T / W"},
        .series = {}};
    double least = infinity;
    double most = 0;
    for (std::size_t r = 0; r < ring::refinements.size(); ++r) {
        const Curve mean = mean_of(curves[r]);
        const std::string name = r == 0 ? "no refinement" : std::string(ring::refinements[r].name);
        plot.series.push_back(series_of(name, mean, r, report::Series::Line::solid));
        plot.series.push_back(
            series_of(name + ", first", curves[r].front(), r, report::Series::Line::dashed));
        least = std::min(least, std::ranges::min(mean));
        most = std::max(most, std::ranges::max(mean));
        std::size_t monotone = 0;
        Samples best;
        for (const Curve& curve : curves[r]) {
            monotone += monotone_about_best(curve) ? 1U : 0U;
            best.add(static_cast<double>(best_size(curve)));
        }
        fmt::print("| {} | {} | {} | {:.1f} ({} to {}) | {} of {} |{} |\n", hosts, ratio, name,
                   best.mean(), best.least(), best.greatest(), monotone, curves[r].size(),
                   joined(mean));
    }
    (void)std::fflush(stdout);
    if (most > 20 * least) plot.y.scale = report::Scale::log;
    if (!folder.empty())
        write_file(fmt::format("{}/growth-{}-{}.svg", folder, hosts, ratio),
                   report::plot_svg(plot));
}

}  // namespace

void draw_growth(std::size_t hosts, std::size_t seeds, const std::vector<double>& ratios,
                 const std::string& folder) {
    fmt::print(
        "| hosts | H/W | refinement | best size | one valley | mean T / W by size |\n"
        "| --- | --- | --- | --- | --- | --- |\n");
    for (const double ratio : ratios) {
        std::vector<std::vector<Curve>> curves(ring::refinements.size());
        for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
            const auto instance = Instance::tiers(hosts, seed);
            for (std::size_t r = 0; r < curves.size(); ++r)
                curves[r].push_back(grow(*instance, ratio, ring::refinements[r].refinement));
        }
        draw_ratio(hosts, curves, ratio, folder);
    }
    fmt::print("\n");
}

}  // namespace espalier::bench
