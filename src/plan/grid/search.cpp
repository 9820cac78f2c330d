#include "plan/grid/search.hpp"

#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "plan/grid/binomial.hpp"
#include "plan/grid/bottom_up.hpp"
#include "plan/grid/ecef.hpp"
#include "plan/grid/exact.hpp"
#include "plan/grid/fef.hpp"
#include "plan/grid/flat.hpp"
#include "plan/grid/improver.hpp"
#include "plan/grid/multilevel.hpp"
#include "plan/grid/send_tree.hpp"
#include "plan/grid/weighted.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace espalier::plan::grid {

namespace {

constexpr std::array receiver_weights{0.1, 0.05, 0.15, 0.25, 0.0, 0.4, 0.6, 0.9};
constexpr std::array sender_weights{0.15, 0.0, 0.3, 0.5};
/// How many of the best weights are tried with a deadline, and how often it is bisected.
constexpr std::size_t weights_with_deadlines = 4;
constexpr int bisections = 8;

/// Cheap on average; they may win where costs are special.
constexpr std::array<Order (*)(const Problem&), 11> heuristics{
    ecef, ecef_la, ecef_la_average_ab, ecef_la_average_b, ecef_lat_min, ecef_lat_max, multilevel,
    flat, fef,     bottom_up,          bottom_up_la};
/// They take too long among more.
constexpr std::size_t most_for_bottom_up = 256;
/// Among so few, all rules take less than a millisecond: whatever the limit, `search` is no worse.
constexpr std::size_t always_tried = 50;

/// Up to this many clusters an enumeration has a chance.
constexpr std::size_t most_worth_enumerating = 24;
/// Beyond, pricing takes too long beside the search itself.
constexpr std::size_t most_priced = 64;
/// Beyond, the walks would need too much memory: the rules have to do.
constexpr std::size_t most_improved = 2048;
/// Steps of the Meter.
constexpr std::uint64_t steps_a_state = 150;
constexpr std::uint64_t cells_a_step = 16;
constexpr std::uint64_t first_annealing_steps = 20'000;

class Search {
public:
    Search(const Problem& problem, const Limits& limits) : problem_(problem), meter_(limits) {}

    Found run() {
        offer(*weighted_order(problem_, {receiver_weights[0], sender_weights[0]}));
        found_.lower_bound = bound_of_one(problem_);
        if (problem_.size() < 3) return prove();
        try_heuristics();
        try_weights();
        try_deadlines();
        if (n() > most_improved) return std::move(found_);
        const SendTree::Costs costs(problem_);
        Improver improver(costs, SendTree(costs, found_.order), seed);
        improver.descend(meter_);
        improve(improver, n() * first_annealing_steps / 8);
        if (open()) price();
        if (open() && n() <= most_worth_enumerating) enumerate();
        if (open()) improver.adopt(SendTree(costs, found_.order));
        for (std::uint64_t steps = n() * first_annealing_steps; open(); steps *= 2)
            improve(improver, steps);
        return std::move(found_);
    }

private:
    static constexpr std::uint64_t seed = 1;

    [[nodiscard]] std::size_t n() const { return problem_.size(); }

    [[nodiscard]] bool met() const { return least_ <= found_.lower_bound * (1 + 1e-12); }
    /// Whether there is something to win, and time left for it.
    [[nodiscard]] bool open() {
        if (!found_.optimal && met()) prove();
        return !found_.optimal && !meter_.over();
    }
    Found& prove() {
        found_.optimal = true;
        found_.lower_bound = least_;
        return found_;
    }

    void offer(Order order) {
        const double end = makespan(problem_, order);
        if (end >= least_) return;
        least_ = end;
        found_.order = std::move(order);
    }

    void try_heuristics() {
        for (const auto heuristic : heuristics) {
            if (!open() && (found_.optimal || n() > always_tried)) return;
            if (n() > most_for_bottom_up && (heuristic == bottom_up || heuristic == bottom_up_la))
                continue;
            offer(heuristic(problem_));
            meter_.spend(n() * n());
        }
    }

    void try_weights() {
        for (const double receiver : receiver_weights)
            for (const double sender : sender_weights) {
                if (!open()) return;
                Order order = *weighted_order(problem_, {receiver, sender});
                meter_.spend(n() * n());
                ranking_.push_back({makespan(problem_, order), {receiver, sender}});
                offer(std::move(order));
            }
    }

    /// A deadline keeps those from sending on who need the time themselves.
    void try_deadlines() {
        std::stable_sort(ranking_.begin(), ranking_.end(),
                         [](const Ranked& a, const Ranked& b) { return a.end < b.end; });
        for (std::size_t w = 0; w < std::min(ranking_.size(), weights_with_deadlines); ++w) {
            double infeasible = found_.lower_bound;
            double feasible = least_;
            for (int b = 0; b < bisections && open(); ++b) {
                const double deadline = (infeasible + feasible) / 2;
                auto order = weighted_order(problem_, ranking_[w].weights, deadline);
                meter_.spend(n() * n());
                if (!order) {
                    infeasible = deadline;
                    continue;
                }
                feasible = std::min(deadline, makespan(problem_, *order));
                offer(std::move(*order));
            }
        }
    }

    void improve(Improver& improver, std::uint64_t steps) {
        if (!open()) return;
        const Limits limits = meter_.share(1).at_most(steps);
        improver.anneal(meter_, limits, found_.lower_bound * (1 + 1e-12));
        improver.descend(meter_);
        if (improver.best().makespan() < least_) offer(improver.best().order());
    }

    void price() {
        if (n() > most_priced) return;
        simulate::PricingEffort effort{60, 512, 2048};
        const std::uint64_t most = std::min<std::uint64_t>(meter_.work_left(), effort.cells);
        effort.cells = most / 4 * cells_a_step;
        auto [bound, prices] =
            simulate::find_prices(each_by_itself(problem_), found_.lower_bound, least_, effort,
                                  [limit = Meter(meter_.share(0.25))] { return limit.over(); });
        meter_.spend(std::min(most / 4, n() * n() * effort.rounds * effort.steps / cells_a_step));
        found_.lower_bound = std::max(found_.lower_bound, bound);
        prices_ = std::move(prices);
    }

    void enumerate() {
        Meter own(meter_.share(0.4));
        const auto stop = [&](std::uint64_t states) {
            own.spend(states * steps_a_state);
            meter_.spend(states * steps_a_state);
            return own.over();
        };
        Enumeration enumeration = enumerate_orders(problem_, least_, prices_, stop);
        if (!enumeration.order.empty()) offer(std::move(enumeration.order));
        if (enumeration.complete) prove();
    }

    struct Ranked {
        double end = 0;
        Weights weights;
    };

    const Problem& problem_;
    Meter meter_;
    Found found_;
    double least_ = infinity;
    std::vector<Ranked> ranking_;
    std::vector<double> prices_;
};

}  // namespace

Found search(const Problem& problem, const Limits& limits) { return Search(problem, limits).run(); }

}  // namespace espalier::plan::grid
