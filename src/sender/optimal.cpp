#include "sender/optimal.hpp"

#include "sender/deadline_bound.hpp"
#include "sender/distinct_search.hpp"
#include "sender/greedy.hpp"
#include "sender/many_classes.hpp"
#include "sender/slot_search.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace espalier::sender {

namespace {

/// Points of the lattice times classes; a valuation has a worth for each.
constexpr std::size_t most_cells = std::size_t{1} << 22;
constexpr std::size_t kept_prices = 24;
constexpr std::size_t kept_cells = std::size_t{1} << 23;
constexpr double rounding = 1e-12;
/// So many nodes can be searched one by one with some hope.
constexpr std::uint64_t few_nodes = 64;
/// Reductions of so many classes have too many sums of times to go through them point by point.
constexpr std::size_t many_reduced_classes = 17;

/// The points of the lattice between which the optimum lies, and what narrows them down.
class Closing {
public:
    Closing(const Problem& problem, const TickProblem& ticks, const Lattice& lattice, Meter& meter,
            Result& result)
        : problem_(problem), ticks_(ticks), lattice_(lattice), meter_(meter), result_(result) {}

    /// Nothing is over before `low`; the result's sequence is over by `high`.
    void run(std::size_t low, std::size_t high) {
        low_ = low;
        high_ = high;
        descend();
        for (const auto& breadth : breadths)
            for (std::size_t point = low_; low_ < high_ && point < high_; ++point) {
                if (meter_.over()) return;
                attempt(point, breadth);
            }
    }

    [[nodiscard]] std::size_t low() const { return low_; }
    [[nodiscard]] bool closed() const { return low_ == high_; }

private:
    static constexpr std::array<SlotSearch::Breadth, 7> breadths{
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
        for (std::size_t step = 0; floor < high_ && !meter_.over();) {
            const std::size_t point = step == 0 ? floor : std::min(floor + step, high_ - 1);
            if (attempt(point, breadths.front())) return;
            floor = point + 1;
            step = 2 * step + 1;
        }
    }

    /// True if there is a schedule that is over by that point.
    bool attempt(std::size_t point, const SlotSearch::Breadth& breadth) {
        const Window window(ticks_, lattice_, point);
        const std::size_t cells = window.points() * window.width();
        Pricer pricer(window, meter_, std::clamp<std::size_t>(kept_cells / cells, 4, kept_prices));
        SlotSearch search(window, pricer, meter_);
        auto verdict = search.run(breadth, result_.effort);
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
    Meter& meter_;
    Result& result_;
    std::size_t low_ = 0;
    std::size_t high_ = 0;
};

/// What anyone can see at once.
Ticks least_makespan(const TickProblem& problem) {
    if (problem.is_broadcast()) return problem.time[problem.root.value_or(0)];
    std::size_t slowest = problem.classes() - 1;
    if (problem.root == slowest && problem.count[slowest] == 1) --slowest;
    return problem.time[slowest];
}

/// The better schedule of the two and the better bound.
void take_better(Result& result, Result other) {
    result.effort.nodes += other.effort.nodes;
    result.effort.leaves += other.effort.leaves;
    if (other.lower_bound > result.lower_bound) {
        result.lower_bound = other.lower_bound;
        result.proof = std::move(other.proof);
    }
    if (other.makespan < result.makespan) {
        result.makespan = other.makespan;
        result.sequence = std::move(other.sequence);
    }
    result.optimal |= other.optimal;
    result.optimal |= result.makespan - result.lower_bound <= rounding * result.makespan;
    if (result.optimal) result.lower_bound = result.makespan;
}

Result search_slots(const Problem& problem, const Clock& clock, const TickProblem& ticks,
                    const Lattice& lattice, Ticks horizon, Meter& meter, Result result) {
    const std::size_t high = lattice.last_by(horizon);
    auto bound = bound_deadline(ticks, lattice, high, meter);
    const Ticks least = std::min(least_makespan(ticks), horizon);
    while (lattice.at[bound.point] < least) ++bound.point;
    Closing closing(problem, ticks, lattice, meter, result);
    closing.run(bound.point, high);
    result.proof = bound.proof;
    if (result.proof) result.proof->tick = clock.tick;
    result.lower_bound = std::min(clock.in_units(lattice.at[closing.low()]), result.makespan);
    result.optimal =
        closing.closed() && result.makespan - result.lower_bound <= rounding * result.makespan;
    if (result.optimal) result.lower_bound = result.makespan;
    return result;
}

}  // namespace

Result optimal(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    Result result = greedy(problem);
    if (result.optimal) return result;
    const Clock clock = make_clock(problem, result.makespan);
    const TickProblem ticks = in_ticks(problem, clock);
    const Ticks horizon =
        run_course(problem, result.sequence, std::span<const Ticks>(ticks.time)).makespan;
    const bool few = problem.nodes() <= few_nodes;
    const bool one_by_one =
        few && !problem.is_broadcast() && problem.classes.size() >= many_reduced_classes;
    const auto lattice =
        one_by_one ? std::nullopt
                   : make_lattice(ticks, horizon, most_cells / (problem.classes.size() + 1));
    if (lattice)
        result = search_slots(problem, clock, ticks, *lattice, horizon, meter, std::move(result));
    if (result.optimal || (lattice && !few)) return result;
    const Limits rest = meter.share(1);
    take_better(result, few ? distinct_search(problem, rest) : many_classes(problem, rest));
    return result;
}

}  // namespace espalier::sender
