#include "demands/refine.hpp"

#include "core/meter.hpp"
#include "demands/objective.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/scheduler.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace espalier::demands {

namespace {

/// Relative to the bound: what is so near needs no better.
constexpr double near_enough = 1e-3;
/// How much earlier than another a message was in the old schedule counts so many times as much
/// as how much more work its receiver has left.
constexpr double loyalty = 3;
/// At which pace to schedule anew, see exchange::Preferences, and along the old schedule.
struct Try {
    double pace = 0;
    bool along_old = false;
};
constexpr Try tries[] = {{0.95, false}, {0.97, true}, {0.93, false}, {0.9, false}};

/// The old order and then, in the order of their senders, messages that it does not have.
Order completed(const Problem& problem, const Order& old) {
    std::vector<std::uint8_t> delivered(problem.messages.size(), 0);
    for (const Hop& hop : old)
        if (hop.to == problem.messages[hop.message].to) delivered[hop.message] = 1;
    Order order = old;
    for (std::size_t m = 0; m < delivered.size(); ++m)
        if (delivered[m] == 0) order.push_back(direct(problem, m));
    return order;
}

class Refinement {
public:
    Refinement(const Problem& problem, const Order& old)
        : problem_(problem),
          bound_(exchange::exchange_bound(problem)),
          order_(completed(problem, old)) {
        score_ = score_of(problem, ends_of(problem, order_));
    }

    Order run(const Limits& limits) {
        Meter meter(limits);
        if (near_bound()) return order_;
        const auto scheduler = exchange::make_scheduler(problem_);
        const std::vector<double> loyal = merits_of_place();
        for (const Try& attempt : tries) {
            if (near_bound() || meter.over()) break;
            auto preferences = exchange::Preferences::plain(problem_, attempt.pace);
            if (attempt.along_old) preferences.merit = loyal;
            const double makespan = scheduler->pass(preferences, give_up());
            meter.spend(problem_.messages.size());
            if (makespan < std::numeric_limits<double>::infinity())
                consider(direct(problem_, scheduler->messages()));
        }
        return std::move(order_);
    }

private:
    [[nodiscard]] bool near_bound() const {
        return !problem_.has_demands() && score_.makespan <= bound_ * (1 + near_enough);
    }

    /// What a pass has to beat; nothing in particular where its makespan is not all that counts.
    [[nodiscard]] double give_up() const {
        return problem_.has_demands() || !only_queues(problem_)
                   ? std::numeric_limits<double>::infinity()
                   : score_.makespan;
    }

    /// By message, in seconds: the earlier its place in the old order, the more.
    [[nodiscard]] std::vector<double> merits_of_place() const {
        std::vector<double> merits(problem_.messages.size(), 0);
        const double step = loyalty * bound_ / static_cast<double>(order_.size());
        for (std::size_t place = 0; place < order_.size(); ++place)
            merits[order_[place].message] = -step * static_cast<double>(place);
        return merits;
    }

    void consider(Order order) {
        const Score score = score_of(problem_, ends_of(problem_, order));
        if (!better(score, score_)) return;
        score_ = score;
        order_ = std::move(order);
    }

    const Problem& problem_;
    double bound_;
    Order order_;
    Score score_;
};

}  // namespace

Found refine(const Problem& changed, const Order& old, const Limits& limits) {
    if (changed.messages.empty()) return {};
    return {.order = Refinement(changed, old).run(limits)};
}

}  // namespace espalier::demands
