#include "sender/distinct_search.hpp"

#include "sender/deadline_search.hpp"
#include "sender/greedy.hpp"
#include "sender/many_classes.hpp"
#include "sender/order_exchange.hpp"

#include <algorithm>
#include <limits>

namespace espalier::sender {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t exchange_rounds = 20'000;
/// Of a schedule and a bound in ticks, where ticks are rounded.
constexpr double rounding = 1e-12;

class Closing {
public:
    Closing(const Problem& problem, const Limits& limits, Result& result)
        : problem_(problem),
          meter_({.time = limits.time}),
          result_(result),
          clock_(make_clock(problem, result.makespan)),
          ticks_(in_ticks(problem, clock_)) {
        best_ = run_course(problem_, result_.sequence, times()).makespan;
        take(exchange_orders(problem_, times(), result_.sequence, exchange_rounds, 1, meter_));
        search_.emplace(ticks_, best_, meter_, limits.most_steps());
    }

    void run() {
        const Ticks fine = std::max<Ticks>(1, best_ >> 20);
        bound_ = search_->bound(0, best_, fine);
        // Short searches first: what they find makes the deadline earlier for the long ones, and
        // what they exclude stays excluded.
        std::uint64_t nodes = 300;
        while (bound_ < best_ && !meter_.over()) {
            const Answer answer = search_->search(best_, nodes, result_.effort);
            if (answer == Answer::none) bound_ = best_;
            if (answer == Answer::found) take(search_->sequence());
            if (answer == Answer::unknown && nodes == unlimited) break;
            if (answer == Answer::unknown) nodes = nodes < 1'000'000 ? nodes * 4 : unlimited;
        }
        result_.lower_bound = std::min(clock_.in_units(bound_), result_.makespan);
        result_.optimal = bound_ == best_ &&
                          result_.makespan - clock_.in_units(best_) <= rounding * result_.makespan;
        if (result_.optimal) result_.lower_bound = result_.makespan;
        result_.proof = price_proof(problem_, result_.makespan, meter_);
    }

private:
    using Answer = DeadlineSearch::Answer;

    [[nodiscard]] std::span<const Ticks> times() const { return ticks_.time; }
    void take(const Sequence& sequence) {
        const Ticks reached = run_course(problem_, sequence, times()).makespan;
        if (reached >= best_) return;
        best_ = reached;
        result_.sequence = sequence;
        result_.makespan = makespan_of(problem_, sequence);
    }

    const Problem& problem_;
    const Meter meter_;
    Result& result_;
    Clock clock_;
    TickProblem ticks_;
    Ticks best_ = 0;
    Ticks bound_ = 0;
    std::optional<DeadlineSearch> search_;
};

}  // namespace

Result distinct_search(const Problem& problem, const Limits& limits) {
    Result result = greedy(problem);
    if (result.optimal) return result;
    Closing(problem, limits, result).run();
    return result;
}

}  // namespace espalier::sender
