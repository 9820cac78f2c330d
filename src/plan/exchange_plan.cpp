#include "plan/exchange_plan.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/exchange/bound.hpp"
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

std::vector<const Algorithm*> candidates(const std::string& name) {
    std::vector<const Algorithm*> found;
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.family == Family::exchange &&
            (name == "auto" ? algorithm.by_default : algorithm.name == name))
            found.push_back(&algorithm);
    if (found.empty())
        throw InputError(fmt::format("no algorithm '{}' plans a total exchange", name));
    return found;
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
                    .critical = request.critical};
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            const Bytes bytes = sizes(from, to);
            if (from == to || bytes.value == 0) continue;
            const auto cost = fabric.cost(from, to, bytes);
            Message message{from, to, bytes, cost.gap.value, cost.latency.value};
            if (deadlines.rows() > 0 && deadlines(from, to))
                message.deadline = deadlines(from, to)->value;
            if (priorities.rows() > 0) message.priority = priorities(from, to);
            problem.messages.push_back(message);
        }
    return problem;
}

schedule::Schedule make_exchange_schedule(const Problem& problem, const exchange::Order& order,
                                          const std::vector<std::size_t>& barriers,
                                          const ExchangeRequest& request,
                                          std::vector<std::string> names) {
    schedule::Schedule schedule;
    schedule.collective.kind = schedule::Kind::alltoall;
    schedule.collective.nodes = names.size();
    schedule.nodes = std::move(names);
    schedule.ports = problem.fabric->ports();
    schedule.ports.count = problem.ports;
    schedule.reception = problem.reception;
    schedule.barriers = barriers;
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
    for (const exchange::Hop& hop : order)
        schedule.transfers.push_back({hop.from, hop.to, hop.message});
    return schedule;
}

schedule::Plan plan_exchange(const simulate::Fabric& fabric, std::vector<std::string> names,
                             const ExchangeRequest& request) {
    const Problem problem = make_exchange_problem(fabric, request);
    const double bound = exchange_bound(problem);
    std::optional<schedule::Plan> best;
    for (const Algorithm* algorithm : candidates(request.algorithm)) {
        const auto found = std::get<exchange::Planner>(algorithm->make)(problem, request.limits);
        schedule::Plan plan;
        plan.schedule =
            make_exchange_schedule(problem, found.order, found.barriers, request, names);
        plan.schedule.algorithm = algorithm->name;
        plan.timeline = simulate::simulate(plan.schedule, fabric);
        plan.lower_bound = Seconds(std::max(bound, found.lower_bound));
        plan.optimal = found.optimal || plan.timeline.makespan <= plan.lower_bound * (1 + 1e-12);
        if (!best || plan.timeline.makespan < best->timeline.makespan) best = std::move(plan);
    }
    return *std::move(best);
}

}  // namespace espalier::plan
