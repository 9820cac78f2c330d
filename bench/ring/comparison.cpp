#include "comparison.hpp"

#include "ring/allocation.hpp"
#include "ring/bound.hpp"
#include "ring/greedy.hpp"
#include "ring/portfolio.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::bench {

namespace {

Cell compare(const Instance& instance, double ratio, const CompareSettings& settings) {
    const ring::Problem problem = instance.problem(ratio);
    Cell cell;
    cell.instance = instance.name();
    cell.ratio = ratio;
    for (const ring::NamedRefinement& refinement : ring::refinements)
        cell.greedy.push_back(
            plan_with(instance, ratio, ring::greedy,
                      {.refinement = refinement.refinement, .limits = {.time = Seconds(1e7)}}));
    cell.divided = cell.plain();
    if (cell.greedy.front().hosts > 1)
        cell.divided =
            ring::optimal_rates(problem, cell.greedy.front().solution.embedding).division.step_time;
    cell.automatic =
        plan_with(instance, ratio, ring::automatic,
                  {.limits = as_much_as(settings.search_seconds), .seed = settings.seed});
    cell.bound = ring::lower_bound(problem, schedule::RingSharing::reserved,
                                   as_much_as(settings.bound_seconds), cell.automatic.step_time);
    cell.bound_without_exchange = ring::bound_without_exchange(problem);
    return cell;
}

void tell(const Cell& cell) {
    fmt::print(stderr, "{}: greedy", cell.where());
    for (const Outcome& outcome : cell.greedy)
        fmt::print(stderr, " {:.5g} ({} hosts, {:.2f} s)", outcome.step_time, outcome.hosts,
                   outcome.cpu);
    fmt::print(stderr, ", divided {:.5g}, auto {:.5g} ({}, {:.2f} s), bound {:.5g}\n", cell.divided,
               cell.automatic.step_time, cell.automatic.hosts, cell.automatic.cpu, cell.bound);
}

}  // namespace

std::string Cell::where() const { return fmt::format("{}, H/W {}", instance, ratio); }

std::vector<Cell> compare(const Instance& instance, const CompareSettings& settings) {
    std::vector<Cell> cells;
    for (const double ratio : settings.ratios) {
        cells.push_back(compare(instance, ratio, settings));
        tell(cells.back());
    }
    return cells;
}

std::vector<Cell> compare(std::size_t hosts, std::size_t seeds, const CompareSettings& settings) {
    std::vector<Cell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
        std::ranges::move(compare(*Instance::tiers(hosts, seed), settings),
                          std::back_inserter(cells));
    return cells;
}

}  // namespace espalier::bench
