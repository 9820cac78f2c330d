#include "sender/optimal.hpp"

#include "sender/deadline_search.hpp"
#include "sender/greedy.hpp"
#include "sender/many_classes.hpp"
#include "sender/slot_search.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace espalier::sender {

namespace {

/// Points of the lattice times classes; a valuation has a worth for each.
constexpr std::size_t most_cells = std::size_t{1} << 22;
constexpr std::size_t kept_prices = 24;
constexpr std::size_t kept_prices_of_bound = 4;
constexpr std::size_t kept_cells = std::size_t{1} << 23;
/// The number of nodes up to which they are searched one by one with some hope.
constexpr std::uint64_t few_nodes = 64;
/// Sums of times of more classes are too many to go through them point by point, or the prices at
/// the first point take all the time. In reductions that begins sooner, and few nodes are searched
/// one by one rather.
constexpr std::size_t most_classes = 256;
constexpr std::size_t most_reduced_classes = 128;
constexpr std::size_t most_reduced_of_few = 16;

bool suits_lattice(const Problem& problem) {
    const std::size_t classes = problem.classes.size();
    if (problem.is_broadcast()) return classes <= most_classes;
    return classes <= (problem.nodes() <= few_nodes ? most_reduced_of_few : most_reduced_classes);
}

/// The points of the lattice between which the optimum lies, and what narrows them down.
class Closing {
public:
    Closing(const Problem& problem, const TickProblem& ticks, const Lattice& lattice, Meter& meter,
            Result& result)
        : problem_(problem), ticks_(ticks), lattice_(lattice), meter_(meter), result_(result) {}

    /// The result's sequence is over by `horizon`.
    void run(Ticks horizon) {
        high_ = lattice_.last_by(horizon);
        bound();
        descend();
        for (const auto& breadth : breadths)
            for (std::size_t point = low_; low_ < high_ && point < high_; ++point) {
                if (meter_.over()) break;
                attempt(point, breadth);
            }
        result_.raise_bound(ticks_.in_units(lattice_.at[low_]));
    }

private:
    static constexpr std::array<SlotSearch::Breadth, 7> breadths{
        {{.width = 1, .fillings = 8},
         {.width = 4, .fillings = 16},
         {.width = 16, .fillings = 64},
         {.width = 64, .fillings = 256},
         {.width = 512, .fillings = 1024},
         {.width = 4096, .fillings = 4096},
         {.width = 65536, .fillings = 65536}}};

    /// Finds a lower bound: goes down from a good schedule in steps that grow, then by bisection,
    /// to the first point that prices do not exclude.
    void bound() {
        std::vector<std::int64_t> price;
        Proof proof{.tick = ticks_.tick};
        std::size_t open = high_;
        for (std::size_t step = 1; low_ < open;) {
            const std::size_t point =
                low_ == 0 ? open - std::min(step, open) : low_ + (open - low_ - 1) / 2;
            const Window window(ticks_, lattice_, point);
            Pricer pricer(window, meter_, kept_prices_of_bound);
            if (!price.empty()) pricer.suggest(std::move(price));
            const auto outcome = pricer.minimise(window.start(), Pricer::Goal::sign);
            price = pricer.valuation(outcome.best).price;
            if (outcome.surplus < 0) {
                low_ = point + 1;
                proof.price_unit = window.unit();
                proof.classes.clear();
                for (std::size_t c = 0; c < price.size(); ++c)
                    proof.classes.push_back({ticks_.time[c], ticks_.count[c], price[c]});
            } else if (outcome.cut_short) {
                break;
            } else {
                open = point;
                step *= 2;
            }
        }
        if (low_ == 0) return;
        proof.lower_bound = lattice_.at[low_];
        proof.deadline = proof.lower_bound - 1;
        result_.offer(std::move(proof));
    }

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
        result_.offer(problem_, std::move(*verdict.sequence));
        return true;
    }

    const Problem& problem_;
    const TickProblem& ticks_;
    const Lattice& lattice_;
    Meter& meter_;
    Result& result_;
    std::size_t low_ = 0;  ///< nothing is over before
    std::size_t high_ = 0;
};

}  // namespace

Result optimal(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    Result result = greedy(problem);
    if (result.optimal) return result;
    const bool few = problem.nodes() <= few_nodes;
    if (suits_lattice(problem)) {
        const TickProblem ticks = in_ticks(problem, result.makespan);
        const Ticks horizon =
            run_course(problem, result.sequence, std::span<const Ticks>(ticks.time)).makespan;
        const auto lattice =
            make_lattice(ticks, horizon, most_cells / (problem.classes.size() + 1));
        if (lattice) Closing(problem, ticks, *lattice, meter, result).run(horizon);
        if (lattice && (result.optimal || !few)) return result;
    }
    return few ? distinct_search(problem, meter.share(1), std::move(result))
               : many_classes(problem, meter.share(1), std::move(result));
}

}  // namespace espalier::sender
