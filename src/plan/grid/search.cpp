#include "plan/grid/search.hpp"

#include "core/infinity.hpp"
#include "core/rounding.hpp"
#include "plan/grid/exact.hpp"
#include "plan/grid/improver.hpp"
#include "plan/grid/send_tree.hpp"
#include "plan/grid/weighted.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace espalier::plan::grid {

namespace {

/// What is tried, and for how long; by bench/grid.
struct Portfolio {
    std::array<double, 8> receiver_weights{0.1, 0.05, 0.15, 0.25, 0.0, 0.4, 0.6, 0.9};
    std::array<double, 4> sender_weights{0.15, 0.0, 0.3, 0.5};
    std::size_t bisections = 8;  ///< of a deadline
    /// Among up to so many clusters an enumeration soon finds the best order.
    std::size_t enumerated = 24;
};
constexpr Portfolio portfolio;

class Search {
public:
    Search(const Problem& problem, Meter& meter, bool enumerates)
        : problem_(problem), meter_(meter), enumerates_(enumerates) {}

    Found run() {
        offer(*weighted_order(
            problem_, {portfolio.receiver_weights.front(), portfolio.sender_weights.front()}));
        found_.lower_bound = bound_of_one(problem_);
        if (problem_.size() < 3) return prove();
        try_weights();
        try_deadlines();
        if (!open()) return std::move(found_);
        const SendTree::Costs costs(problem_);
        Improver improver(costs, SendTree(costs, found_.order));
        improver.descend(meter_);
        // The first annealing takes as long as all that came before, each next one twice as long;
        // an enumeration may take half of what is left.
        std::uint64_t steps = meter_.spent();
        improve(improver, steps);
        if (open()) price();
        while (open()) {
            if (enumerates_) {
                enumerate();
                improver.adopt(SendTree(costs, found_.order));
            }
            improve(improver, steps *= 2);
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] std::size_t n() const { return problem_.size(); }

    [[nodiscard]] bool met() const { return least_ <= found_.lower_bound * (1 + rounding); }
    /// Whether there is something to win, and something left for it.
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

    void try_weights() {
        for (const double receiver : portfolio.receiver_weights)
            for (const double sender : portfolio.sender_weights) {
                if (!open()) return;
                Order order = *weighted_order(problem_, {receiver, sender});
                meter_.spend(n() * n());
                ranking_.push_back({makespan(problem_, order), {receiver, sender}});
                offer(std::move(order));
            }
    }

    /// A deadline keeps those from sending on who need the time themselves. The best weights are
    /// given some, as many in all as there are weights.
    void try_deadlines() {
        std::stable_sort(ranking_.begin(), ranking_.end(),
                         [](const Ranked& a, const Ranked& b) { return a.end < b.end; });
        for (std::size_t w = 0; w * portfolio.bisections < ranking_.size(); ++w) {
            double infeasible = found_.lower_bound;
            double feasible = least_;
            for (std::size_t b = 0; b < portfolio.bisections && open(); ++b) {
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
        Meter own(meter_.share(1).at_most(steps));
        improver.anneal(own, found_.lower_bound * (1 + rounding));
        meter_.spend(own.spent());
        improver.descend(meter_);
        if (improver.best().makespan() < least_) offer(improver.best().order());
    }

    void price() {
        auto [bound, prices] = meter_.lend(1.0 / 4, [&](Meter& own) {
            return simulate::find_prices(each_by_itself(problem_), found_.lower_bound, least_, own);
        });
        found_.lower_bound = std::max(found_.lower_bound, bound);
        prices_ = std::move(prices);
    }

    /// What it can't decide about the best order, it may about a deadline nearer to the bound.
    void enumerate() {
        const double deadline = undecided_ ? (found_.lower_bound + least_) / 2 : least_;
        Enumeration enumeration = meter_.lend(1.0 / 2, [&](Meter& own) {
            return enumerate_orders(problem_, deadline, prices_, own);
        });
        if (!enumeration.order.empty()) offer(std::move(enumeration.order));
        if (enumeration.complete)
            found_.lower_bound = std::max(found_.lower_bound, std::min(deadline, least_));
        undecided_ = !enumeration.complete && !undecided_;
    }

    struct Ranked {
        double end = 0;
        Weights weights;
    };

    const Problem& problem_;
    Meter& meter_;
    bool enumerates_;
    bool undecided_ = false;  ///< whether the last enumeration, of the best order, was cut short
    Found found_;
    double least_ = infinity;
    std::vector<Ranked> ranking_;
    std::vector<double> prices_;
};

}  // namespace

Found search(const Problem& problem, Meter& meter) {
    return Search(problem, meter, problem.size() <= portfolio.enumerated).run();
}

Found optimal(const Problem& problem, Meter& meter) {
    return Search(problem, meter, can_enumerate(problem)).run();
}

}  // namespace espalier::plan::grid
