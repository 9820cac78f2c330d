#include "plan/grid/optimal.hpp"

#include "core/meter.hpp"
#include "plan/grid/exact.hpp"
#include "plan/grid/search.hpp"

#include <algorithm>

namespace espalier::plan::grid {

namespace {

constexpr std::uint64_t search_steps_a_cluster = 100'000;
constexpr std::uint64_t steps_a_state = 150;
/// More prices than clusters can be found in a second or so: they are cut by the time only.
constexpr simulate::PricingEffort effort{400, 1024, 8192};

class Proof {
public:
    Proof(const Problem& problem, const Limits& limits) : problem_(problem), meter_(limits) {}

    Found run() {
        const std::uint64_t steps = problem_.size() * search_steps_a_cluster;
        found_ = search(problem_, meter_.share(0.3).at_most(steps));
        if (found_.optimal) return std::move(found_);
        least_ = makespan(problem_, found_.order);
        price();
        if (problem_.size() > most_enumerated || met()) {
            look_on();
        } else if (!enumerate(least_, 0.6)) {
            narrow();
        }
        if (met()) found_ = {std::move(found_.order), least_, true};
        return std::move(found_);
    }

private:
    [[nodiscard]] bool met() const { return least_ <= found_.lower_bound * (1 + 1e-12); }

    void price() {
        auto [bound, prices] =
            simulate::find_prices(each_by_itself(problem_), found_.lower_bound, least_, effort,
                                  [limit = Meter(meter_.share(0.3))] { return limit.over(); });
        found_.lower_bound = std::max(found_.lower_bound, bound);
        prices_ = std::move(prices);
    }

    /// Whether it was decided if there is an order before the deadline.
    bool enumerate(double deadline, double part) {
        Meter own(meter_.share(part));
        const auto stop = [&](std::size_t states) {
            own.spend(states * steps_a_state);
            meter_.spend(states * steps_a_state);
            return own.over();
        };
        Enumeration enumeration = enumerate_orders(problem_, deadline, prices_, stop);
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
        for (int step = 0; step < 6 && !meter_.over() && !met(); ++step) {
            undecided = std::min(undecided, least_);
            const double deadline = (found_.lower_bound + undecided) / 2;
            if (!enumerate(deadline, 0.5)) undecided = deadline;
        }
    }

    void look_on() {
        if (met()) return;
        Found more = search(problem_, meter_.share(1));
        const double end = makespan(problem_, more.order);
        found_.lower_bound = std::max(found_.lower_bound, more.lower_bound);
        if (end >= least_) return;
        least_ = end;
        found_.order = std::move(more.order);
    }

    const Problem& problem_;
    Meter meter_;
    Found found_;
    double least_ = 0;
    std::vector<double> prices_;
};

}  // namespace

Found optimal(const Problem& problem, const Limits& limits) { return Proof(problem, limits).run(); }

}  // namespace espalier::plan::grid
