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
    std::array<double, 8> receiver_weights{
        usual_weights.receiver, 0.05, 0.15, 0.25, 0.0, 0.4, 0.6, 0.9};
    std::array<double, 4> sender_weights{usual_weights.sender, 0.0, 0.3, 0.5};
    /// Among up to so many clusters an enumeration soon finds the best order.
    std::size_t enumerated = 24;
};
constexpr Portfolio portfolio;

class Search {
public:
    Search(const Problem& problem, Meter& meter, bool enumerates)
        : problem_(problem), meter_(meter), enumerates_(enumerates) {}

    Found run() {
        offer(weighted_order(problem_, usual_weights));
        found_.lower_bound = bound_of_one(problem_);
        if (problem_.size() < 3) return prove();
        try_weights();
        if (!open()) return std::move(found_);
        const SendTree::Costs costs(problem_);
        Improver improver(costs, SendTree(costs, found_.order));
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
                offer(weighted_order(problem_, {receiver, sender}));
                meter_.spend(problem_.size() * problem_.size());
            }
    }

    void improve(Improver& improver, std::uint64_t steps) {
        if (!open()) return;
        Meter own(meter_.share(1).at_most(steps));
        improver.improve(own, found_.lower_bound * (1 + rounding));
        meter_.spend(own.spent());
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

    const Problem& problem_;
    Meter& meter_;
    bool enumerates_;
    bool undecided_ = false;  ///< whether the last enumeration, of the best order, was cut short
    Found found_;
    double least_ = infinity;
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
