#include "plan/exchange_plan.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_bound.hpp"
#include "plan/exchange/adopt.hpp"
#include "plan/exchange/any_bound.hpp"
#include "plan/exchange/bound.hpp"
#include "plan/exchange/critical_bound.hpp"
#include "plan/exchange/due_date_bound.hpp"
#include "plan/exchange/objective.hpp"
#include "plan/exchange/refine.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace espalier::plan {

namespace {

using exchange::Message;
using exchange::Problem;

void require_order(std::size_t rows, std::size_t columns, std::size_t nodes,
                   std::string_view what) {
    if (rows != nodes || columns != nodes)
        throw InputError(fmt::format("the matrix of {} is {} x {}, and there are {} nodes", what,
                                     rows, columns, nodes));
}

std::vector<const Algorithm*> candidates(const std::string& name, const Problem& problem) {
    const auto tried = [&](const Algorithm& algorithm) {
        return algorithm.by_default &&
               (!algorithm.for_demands || problem.has_demands() || problem.relays);
    };
    std::vector<const Algorithm*> found;
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.family == Family::exchange &&
            (name == "auto" ? tried(algorithm) : algorithm.name == name))
            found.push_back(&algorithm);
    if (found.empty())
        throw InputError(fmt::format("no algorithm '{}' plans a total exchange", name));
    return found;
}

/// Keeps the best of the plans that it is shown, and what all of them together prove.
class Contest {
public:
    Contest(const Problem& problem, const exchange::AnyBound& any)
        : problem_(problem),
          any_(any),
          direct_{std::max(exchange::critical_bound(problem), any_.critical),
                  std::max(exchange::missed_bound(problem), any_.missed), 0,
                  std::max(exchange::exchange_bound(problem), any_.makespan)} {}

    void enter(schedule::Plan plan, const exchange::Found& found) {
        const auto score = exchange::score_of(problem_, plan.schedule, plan.timeline);
        direct_.critical = std::max(direct_.critical, found.critical_bound);
        direct_.missed = std::max(direct_.missed, found.missed_bound);
        direct_.makespan = std::max(direct_.makespan, found.lower_bound);
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
        const exchange::Score bounds = direct ? direct_ : bounds_with_relays();
        plan.lower_bound = Seconds(bounds.makespan);
        plan.critical_bound = Seconds(bounds.critical);
        plan.missed_bound = bounds.missed;
        if (direct) plan.any_bound = Seconds(any_.makespan);
        plan.optimal = meets(score_, bounds) || (direct && proven_ && !better(*proven_, score_));
        return plan;
    }

private:
    [[nodiscard]] exchange::Score bounds_with_relays() const {
        return {any_.critical, any_.missed, 0, any_.makespan};
    }
    [[nodiscard]] bool is_direct(const exchange::Found& found) const {
        return std::ranges::all_of(found.order, [&](const exchange::Hop& hop) {
            return hop == exchange::direct(problem_, hop.message);
        });
    }

    const Problem& problem_;
    exchange::AnyBound any_;
    exchange::Score direct_;  ///< bounds of whole messages straight to their receivers
    std::optional<exchange::Score> proven_;  ///< none of those is better
    std::optional<schedule::Plan> best_;
    exchange::Score score_;
};

/// Of messages that may go any way: what ports, capacities and demands need, and the edges of sets
/// of nodes.
exchange::AnyBound bound_any(const Problem& problem, const ExchangeRequest& request) {
    exchange::AnyBound bound = exchange::any_bound(problem);
    schedule::Collective collective;
    collective.kind = schedule::Kind::alltoall;
    collective.nodes = problem.nodes();
    collective.sizes = request.sizes;
    bound.makespan = std::max(bound.makespan,
                              collective_bound(*problem.fabric, collective, problem.ports).value);
    return bound;
}

}  // namespace

std::shared_ptr<const Matrix<Bytes>> ExchangeRequest::uniform(std::size_t nodes, Bytes bytes) {
    return std::make_shared<const Matrix<Bytes>>(nodes, nodes, bytes);
}

Problem make_exchange_problem(const simulate::Fabric& fabric, const ExchangeRequest& request) {
    const std::size_t nodes = fabric.nodes();
    const Matrix<Bytes>& sizes = *request.sizes;
    require_order(sizes.rows(), sizes.columns(), nodes, "sizes");
    const auto& deadlines = request.deadlines;
    if (deadlines.rows() > 0)
        require_order(deadlines.rows(), deadlines.columns(), nodes, "deadlines");
    const auto& priorities = request.priorities;
    if (priorities.rows() > 0)
        require_order(priorities.rows(), priorities.columns(), nodes, "priorities");

    Problem problem{.fabric = &fabric,
                    .ports = request.ports,
                    .reception = request.reception,
                    .critical = request.critical,
                    .relays = request.relays};
    constexpr double longest = 1e300;
    double total = 0;
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            const Bytes bytes = sizes(from, to);
            if (from == to || bytes.value == 0) continue;
            const auto cost = fabric.cost(from, to, bytes);
            total += (cost.gap + cost.latency).value;
            if (!(total < longest))
                throw InputError(fmt::format(
                    "what messages take, up to that from node {} to node {}, is too long "
                    "a time for numbers to hold",
                    from, to));
            Message message{from, to, bytes, cost.gap.value, cost.latency.value};
            if (deadlines.rows() > 0 && deadlines(from, to))
                message.deadline = deadlines(from, to)->value;
            if (priorities.rows() > 0) message.priority = priorities(from, to);
            problem.messages.push_back(message);
        }
    return problem;
}

schedule::Schedule make_exchange_schedule(const Problem& problem, const exchange::Found& found,
                                          const ExchangeRequest& request,
                                          std::vector<std::string> names) {
    schedule::Schedule schedule;
    schedule.collective.kind = schedule::Kind::alltoall;
    schedule.collective.nodes = names.size();
    schedule.nodes = std::move(names);
    schedule.ports = problem.fabric->ports();
    schedule.ports.count = problem.ports;
    schedule.reception = problem.reception;
    schedule.barriers = found.barriers;
    schedule.critical = problem.critical;
    const Matrix<Bytes>& sizes = *request.sizes;
    bool uniform = true;
    std::optional<Bytes> first;
    for (std::size_t from = 0; from < sizes.rows(); ++from)
        for (std::size_t to = 0; to < sizes.columns(); ++to) {
            if (from == to) continue;
            if (!first) first = sizes(from, to);
            uniform = uniform && sizes(from, to) == *first;
            schedule.collective.bytes = std::max(schedule.collective.bytes, sizes(from, to));
        }
    if (!uniform) schedule.collective.sizes = request.sizes;
    for (const Message& message : problem.messages) {
        schedule::Chunk chunk{message.bytes, 1, message.from, message.to};
        if (message.deadline < std::numeric_limits<double>::infinity())
            chunk.deadline = Seconds(message.deadline);
        chunk.priority = message.priority;
        schedule.chunks.push_back(chunk);
    }
    for (const exchange::Hop& hop : found.order)
        schedule.transfers.push_back({hop.from, hop.to, hop.message});
    for (std::size_t h = 0; h < found.after.size(); ++h)
        schedule.transfers[h].after = found.after[h];
    return schedule;
}

schedule::Plan plan_exchange(const simulate::Fabric& fabric, std::vector<std::string> names,
                             const ExchangeRequest& request) {
    const Problem problem = make_exchange_problem(fabric, request);
    Contest contest(problem, bound_any(problem, request));
    const auto enter = [&](std::string name, const exchange::Found& found) {
        schedule::Plan plan;
        plan.schedule = make_exchange_schedule(problem, found, request, names);
        plan.schedule.algorithm = std::move(name);
        plan.timeline = simulate::simulate(plan.schedule, fabric);
        contest.enter(std::move(plan), found);
    };
    if (request.refined) {
        const auto old = exchange::adopt(problem, names, *request.refined);
        enter("refine", exchange::refine(problem, old, request.limits));
        return std::move(contest).winner();
    }
    for (const Algorithm* algorithm : candidates(request.algorithm, problem)) {
        if (contest.is_settled()) break;
        enter(std::string(algorithm->name),
              std::get<exchange::Planner>(algorithm->make)(problem, request.limits));
    }
    return std::move(contest).winner();
}

}  // namespace espalier::plan
