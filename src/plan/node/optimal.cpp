#include "plan/node/optimal.hpp"

#include "plan/node/deadline_bound.hpp"
#include "plan/node/greedy.hpp"
#include "plan/node/slot_search.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace espalier::plan::node {

namespace {

constexpr std::size_t most_points = 1'000'000;
constexpr std::size_t kept_prices = 24;
constexpr double rounding = 1e-12;

Result greedy(const Problem& problem) {
    return problem.is_broadcast() ? fastest_node_first(problem) : slowest_node_first(problem);
}

/// The points of the lattice between which the optimum lies, and what narrows them down.
class Closing {
public:
    Closing(const Problem& problem, const TickProblem& ticks, const Lattice& lattice,
            const Stopwatch& stopwatch, Result& result)
        : problem_(problem),
          ticks_(ticks),
          lattice_(lattice),
          stopwatch_(stopwatch),
          result_(result) {}

    /// Nothing is over before `low`; the result's sequence is over by `high`.
    void run(std::size_t low, std::size_t high) {
        low_ = low;
        high_ = high;
        descend();
        for (const auto& effort : efforts)
            for (std::size_t point = low_; low_ < high_ && point < high_; ++point) {
                if (stopwatch_.over()) return;
                attempt(point, effort);
            }
    }

    [[nodiscard]] std::size_t low() const { return low_; }
    [[nodiscard]] bool closed() const { return low_ == high_; }

private:
    static constexpr std::array<SlotSearch::Effort, 7> efforts{
        {{.width = 1, .fillings = 8},
         {.width = 4, .fillings = 16},
         {.width = 16, .fillings = 64},
         {.width = 64, .fillings = 256},
         {.width = 512, .fillings = 1024},
         {.width = 4096, .fillings = 4096},
         {.width = 65536, .fillings = 65536}}};

    /// Finds a good schedule soon: the least point at which the narrowest search succeeds.
    void descend() {
        std::size_t floor = low_;
        for (std::size_t step = 0; floor < high_ && !stopwatch_.over();) {
            const std::size_t point = step == 0 ? floor : std::min(floor + step, high_ - 1);
            if (attempt(point, efforts.front())) return;
            floor = point + 1;
            step = 2 * step + 1;
        }
    }

    /// True if there is a schedule that is over by that point.
    bool attempt(std::size_t point, const SlotSearch::Effort& effort) {
        const Window window(ticks_, lattice_, point);
        Pricer pricer(window, stopwatch_, kept_prices);
        SlotSearch search(window, pricer, stopwatch_);
        auto verdict = search.run(effort, result_.effort);
        if (verdict.excluded && point == low_) ++low_;
        if (!verdict.sequence) return false;
        const auto course =
            run_course(problem_, *verdict.sequence, std::span<const Ticks>(ticks_.time));
        assert(course.makespan <= lattice_.at[point]);
        high_ = lattice_.last_by(course.makespan);
        const double makespan = makespan_of(problem_, *verdict.sequence);
        if (makespan < result_.makespan) {
            result_.makespan = makespan;
            result_.sequence = std::move(*verdict.sequence);
        }
        return true;
    }

    const Problem& problem_;
    const TickProblem& ticks_;
    const Lattice& lattice_;
    const Stopwatch& stopwatch_;
    Result& result_;
    std::size_t low_ = 0;
    std::size_t high_ = 0;
};

}  // namespace

Result optimal(const Problem& problem, const Limits& limits) {
    const Stopwatch stopwatch(limits.time);
    Result result = greedy(problem);
    if (problem.nodes() == 1) {
        result.optimal = true;
        return result;
    }
    const Clock clock = make_clock(problem, result.makespan);
    const TickProblem ticks = in_ticks(problem, clock);
    const Ticks horizon =
        run_course(problem, result.sequence, std::span<const Ticks>(ticks.time)).makespan;
    const auto lattice = make_lattice(ticks, horizon, most_points);
    if (!lattice) return result;
    const std::size_t high = lattice->last_by(horizon);
    const auto bound = bound_deadline(ticks, *lattice, high, stopwatch);
    Closing closing(problem, ticks, *lattice, stopwatch, result);
    closing.run(bound.point, high);
    result.proof = bound.proof;
    if (result.proof) result.proof->tick = clock.tick;
    result.lower_bound = std::min(clock.in_units(lattice->at[closing.low()]), result.makespan);
    result.optimal =
        closing.closed() && result.makespan - result.lower_bound <= rounding * result.makespan;
    if (result.optimal) result.lower_bound = result.makespan;
    return result;
}

}  // namespace espalier::plan::node
