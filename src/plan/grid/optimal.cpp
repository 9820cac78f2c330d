#include "plan/grid/optimal.hpp"

#include "core/rounding.hpp"
#include "plan/grid/exact.hpp"
#include "plan/grid/search.hpp"

#include <algorithm>

namespace espalier::plan::grid {

namespace {

/// Steps of the first search for each cluster; by bench/grid.
constexpr std::uint64_t first_search = 100'000;

class Proof {
public:
    Proof(const Problem& problem, Meter& meter) : problem_(problem), meter_(meter) {}

    Found run() {
        Meter first(meter_.share(1.0 / 3).at_most(problem_.size() * first_search));
        found_ = search(problem_, first);
        meter_.spend(first.spent());
        if (found_.optimal) return std::move(found_);
        least_ = makespan(problem_, found_.order);
        price();
        if (!can_enumerate(problem_) || met()) {
            look_on();
        } else if (!enumerate(least_)) {
            narrow();
        }
        if (met()) found_ = {std::move(found_.order), least_, true};
        return std::move(found_);
    }

private:
    [[nodiscard]] bool met() const { return least_ <= found_.lower_bound * (1 + rounding); }

    void price() {
        auto [bound, prices] = meter_.lend(1.0 / 3, [&](Meter& own) {
            return simulate::find_prices(each_by_itself(problem_), found_.lower_bound, least_, own);
        });
        found_.lower_bound = std::max(found_.lower_bound, bound);
        prices_ = std::move(prices);
    }

    /// Whether it was decided if there is an order before the deadline.
    bool enumerate(double deadline) {
        Enumeration enumeration = meter_.lend(1.0 / 2, [&](Meter& own) {
            return enumerate_orders(problem_, deadline, prices_, own);
        });
        if (!enumeration.order.empty()) {
            least_ = makespan(problem_, enumeration.order);
            found_.order = std::move(enumeration.order);
        }
        if (enumeration.complete)
            found_.lower_bound = std::max(found_.lower_bound, std::min(deadline, least_));
        return enumeration.complete;
    }

    /// Deadlines nearer to the bound are decided sooner.
    void narrow() {
        double undecided = least_;
        while (undecided > found_.lower_bound * (1 + rounding) && !meter_.over()) {
            undecided = std::min(undecided, least_);
            const double deadline = (found_.lower_bound + undecided) / 2;
            if (!enumerate(deadline)) undecided = deadline;
        }
    }

    void look_on() {
        if (met()) return;
        Found more = search(problem_, meter_);
        const double end = makespan(problem_, more.order);
        found_.lower_bound = std::max(found_.lower_bound, more.lower_bound);
        if (end >= least_) return;
        least_ = end;
        found_.order = std::move(more.order);
    }

    const Problem& problem_;
    Meter& meter_;
    Found found_;
    double least_ = 0;
    std::vector<double> prices_;
};

}  // namespace

Found optimal(const Problem& problem, Meter& meter) { return Proof(problem, meter).run(); }

}  // namespace espalier::plan::grid
