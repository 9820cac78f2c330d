#include "demands/exchange_plan.hpp"

#include "demands/adopt.hpp"
#include "demands/algorithms.hpp"
#include "demands/any_bound.hpp"
#include "demands/critical_bound.hpp"
#include "demands/due_date_bound.hpp"
#include "demands/objective.hpp"
#include "demands/refine.hpp"
#include "plan/collective_bound.hpp"
#include "plan/exchange/bound.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <utility>

namespace espalier::demands {

namespace {

/// Keeps the best of the plans that it is shown, and what all of them together prove.
class Contest {
public:
    Contest(const Problem& problem, const AnyBound& any)
        : problem_(problem),
          any_(any),
          direct_{std::max(critical_bound(problem), any_.critical),
                  std::max(missed_bound(problem), any_.missed), 0,
                  std::max(exchange::exchange_bound(problem), any_.makespan)} {}

    void enter(schedule::Plan plan, const Found& found) {
        const Score score = score_of(problem_, plan.schedule, plan.timeline);
        if (found.optimal && is_direct(found)) {
            proven_ = score;
            direct_.critical = std::max(direct_.critical, score.critical);
            // What comes after in the score is the least there is only if all before it is nothing.
            if (!problem_.critical) direct_.missed = std::max(direct_.missed, score.missed);
            if (!problem_.has_demands())
                direct_.makespan = std::max(direct_.makespan, score.makespan);
        }
        if (best_ && !better(score, score_)) return;
        best_ = std::move(plan);
        score_ = score;
        best_->scope =
            is_direct(found) ? schedule::BoundScope::whole_message : schedule::BoundScope::any;
    }

    /// No plan that is still to come can be better.
    [[nodiscard]] bool is_settled() const {
        return best_ && meets(score_, problem_.relays ? bounds_with_relays() : direct_);
    }

    [[nodiscard]] schedule::Plan winner() && {
        schedule::Plan plan = *std::move(best_);
        const bool direct = plan.scope == schedule::BoundScope::whole_message;
        const Score bounds = direct ? direct_ : bounds_with_relays();
        plan.lower_bound = Seconds(bounds.makespan);
        plan.critical_bound = Seconds(bounds.critical);
        plan.missed_bound = bounds.missed;
        if (direct) plan.any_bound = Seconds(any_.makespan);
        plan.optimal = meets(score_, bounds) || (direct && proven_ && !better(*proven_, score_));
        return plan;
    }

private:
    [[nodiscard]] Score bounds_with_relays() const {
        return {any_.critical, any_.missed, 0, any_.makespan};
    }
    [[nodiscard]] bool is_direct(const Found& found) const {
        return std::ranges::all_of(found.order, [&](const Hop& hop) {
            return hop == demands::direct(problem_, hop.message);
        });
    }

    const Problem& problem_;
    AnyBound any_;
    Score direct_;                 ///< bounds of whole messages straight to their receivers
    std::optional<Score> proven_;  ///< none of those is better
    std::optional<schedule::Plan> best_;
    Score score_;
};

/// Of messages that may go any way: what ports, capacities and demands need, and the edges of sets
/// of nodes.
AnyBound bound_any(const Problem& problem, const ExchangeRequest& request) {
    AnyBound bound = any_bound(problem);
    schedule::Collective collective;
    collective.kind = schedule::Kind::alltoall;
    collective.nodes = problem.nodes();
    collective.sizes = request.sizes;
    bound.makespan = std::max(
        bound.makespan, plan::collective_bound(*problem.fabric, collective, problem.ports).value);
    return bound;
}

}  // namespace

Problem make_exchange_problem(const simulate::Fabric& fabric, const ExchangeRequest& request) {
    Problem problem{plan::make_exchange_problem(fabric, request), request.reception,
                    request.critical, request.relays};
    const auto& deadlines = request.deadlines;
    const auto& priorities = request.priorities;
    if (deadlines.rows() > 0)
        plan::require_order(deadlines.rows(), deadlines.columns(), fabric.nodes(), "deadlines");
    if (priorities.rows() > 0)
        plan::require_order(priorities.rows(), priorities.columns(), fabric.nodes(), "priorities");
    if (deadlines.rows() == 0 && priorities.rows() == 0) return problem;
    for (const Message& message : problem.messages) {
        Due due;
        if (deadlines.rows() > 0)
            if (const auto deadline = deadlines(message.from, message.to))
                due.deadline = deadline->value;
        if (priorities.rows() > 0) due.priority = priorities(message.from, message.to);
        problem.dues.push_back(due);
    }
    return problem;
}

schedule::Schedule make_exchange_schedule(const Problem& problem, const Found& found,
                                          const ExchangeRequest& request,
                                          std::vector<std::string> names) {
    return plan::with_sizes(make_schedule(problem, found), request, std::move(names));
}

schedule::Plan plan_exchange(const simulate::Fabric& fabric, std::vector<std::string> names,
                             const ExchangeRequest& request) {
    const Problem problem = make_exchange_problem(fabric, request);
    Contest contest(problem, bound_any(problem, request));
    const auto enter = [&](std::string_view name, const Found& found) {
        schedule::Plan plan;
        plan.schedule = make_exchange_schedule(problem, found, request, names);
        plan.schedule.algorithm = name;
        plan.timeline = simulate::simulate(plan.schedule, fabric);
        contest.enter(std::move(plan), found);
    };
    if (request.refined) {
        const Order old = adopt(problem, names, *request.refined);
        enter("refine", refine(problem, old, request.limits));
        return std::move(contest).winner();
    }
    for (const Named& planner : planners(request.algorithm, problem)) {
        if (contest.is_settled()) break;
        enter(planner.name, planner.make(problem, request.limits));
    }
    return std::move(contest).winner();
}

}  // namespace espalier::demands
