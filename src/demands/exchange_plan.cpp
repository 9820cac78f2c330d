#include "demands/exchange_plan.hpp"

#include "demands/algorithms.hpp"
#include "demands/bounds.hpp"
#include "demands/refine.hpp"
#include "simulate/simulate.hpp"

#include <algorithm>
#include <utility>

namespace espalier::demands {

namespace {

/// Keeps the best of the plans that it is shown, and what all of them together prove.
class Contest {
public:
    explicit Contest(const Problem& problem)
        : problem_(problem), any_(any_bounds(problem)), direct_(direct_bounds(problem)) {
        for (const auto field : {&Score::critical, &Score::missed, &Score::makespan})
            raise(field, any_);
    }

    void enter(schedule::Plan plan, const Found& found) {
        const Score score = score_of(problem_, plan.schedule, plan.timeline);
        // Every message takes one hop at least.
        const bool direct = found.is_direct(problem_);
        if (found.optimal && direct) {
            proven_ = score;
            raise(&Score::critical, score);
            // What comes after in the score is the least there is only if all before it is nothing.
            if (!problem_.critical) raise(&Score::missed, score);
            if (!problem_.has_demands()) raise(&Score::makespan, score);
        }
        if (best_ && !better(score, score_)) return;
        best_ = std::move(plan);
        score_ = score;
        best_->scope = direct ? schedule::BoundScope::whole_message : schedule::BoundScope::any;
    }

    /// Whether no plan that is still to come can be better.
    [[nodiscard]] bool is_settled() const {
        return best_ && meets(score_, problem_.relays ? any_ : direct_);
    }

    [[nodiscard]] schedule::Plan winner() && {
        schedule::Plan plan = *std::move(best_);
        const bool direct = plan.scope == schedule::BoundScope::whole_message;
        const Score& bounds = direct ? direct_ : any_;
        plan.lower_bound = Seconds(bounds.makespan);
        plan.critical_bound = Seconds(bounds.critical);
        plan.missed_bound = bounds.missed;
        if (direct) plan.any_bound = Seconds(any_.makespan);
        plan.optimal = meets(score_, bounds) || (direct && proven_ && !better(*proven_, score_));
        return plan;
    }

private:
    void raise(double Score::*field, const Score& proven) {
        direct_.*field = std::max(direct_.*field, proven.*field);
    }

    const Problem& problem_;
    Score any_;                    ///< bounds of schedules of any kind
    Score direct_;                 ///< of whole messages straight to their receivers
    std::optional<Score> proven_;  ///< none of those is better
    std::optional<schedule::Plan> best_;
    Score score_;
};

}  // namespace

Problem make_exchange_problem(const simulate::Fabric& fabric, const ExchangeRequest& request) {
    Problem problem{exchange::make_problem(fabric, request.collective, request.ports),
                    request.reception, request.critical, request.relays};
    const Matrix<Due>& dues = request.dues;
    if (dues.rows() == 0) return problem;
    exchange::require_order(dues.rows(), dues.columns(), fabric.nodes(), "deadlines");
    for (const Message& message : problem.messages)
        problem.dues.push_back(dues(message.from, message.to));
    return problem;
}

schedule::Plan plan_exchange(const simulate::Fabric& fabric, std::vector<std::string> names,
                             const ExchangeRequest& request) {
    const Problem problem = make_exchange_problem(fabric, request);
    Contest contest(problem);
    const auto enter = [&](std::string_view name, const Found& found) {
        schedule::Plan plan;
        plan.schedule = make_schedule(problem, found);
        plan.schedule.nodes = names;
        plan.schedule.algorithm = name;
        plan.timeline = simulate::simulate(plan.schedule, fabric);
        contest.enter(std::move(plan), found);
    };
    if (request.refined) {
        const Order old = adopt(problem, names, *request.refined);
        enter("refine", refine(problem, old, request.limits));
        return std::move(contest).winner();
    }
    for (const Algorithm& algorithm : planners(request.algorithm, problem)) {
        if (contest.is_settled()) break;
        enter(algorithm.name, algorithm.make(problem, request.limits));
    }
    return std::move(contest).winner();
}

}  // namespace espalier::demands
