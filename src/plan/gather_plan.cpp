#include "plan/gather_plan.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_bound.hpp"
#include "plan/gather/bound.hpp"
#include "plan/gather/planner.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace espalier::plan {

namespace {

std::vector<const Algorithm*> candidates(const std::string& name) {
    std::vector<const Algorithm*> found;
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.family == Family::allgather &&
            (name == "auto" ? algorithm.by_default : algorithm.name == name))
            found.push_back(&algorithm);
    if (found.empty()) throw InputError(fmt::format("no algorithm '{}' plans an all-gather", name));
    return found;
}

}  // namespace

schedule::Schedule make_ring_schedule(const gather::Order& order, Bytes block,
                                      std::vector<std::string> names) {
    const std::size_t nodes = order.size();
    schedule::Schedule schedule;
    schedule.collective.kind = schedule::Kind::allgather;
    schedule.collective.nodes = nodes;
    schedule.collective.bytes = block;
    schedule.nodes = std::move(names);
    for (std::size_t node = 0; node < nodes; ++node)
        schedule.chunks.push_back({block, 1, node, std::nullopt});
    for (std::size_t step = 0; step + 1 < nodes; ++step)
        for (std::size_t place = 0; place < nodes; ++place)
            schedule.transfers.push_back(
                {order[place], order[(place + 1) % nodes], order[(place + nodes - step) % nodes]});
    return schedule;
}

GatherPlan plan_gather(const simulate::Fabric& fabric, const std::vector<std::string>& names,
                       const GatherRequest& request) {
    const gather::Problem problem = gather::make_problem(fabric, request.block);
    std::optional<GatherPlan> best;
    double slowest_bound = 0;
    for (const Algorithm* algorithm : candidates(request.algorithm)) {
        gather::Found found = std::get<gather::Planner>(algorithm->make)(problem, request.limits);
        slowest_bound = std::max(slowest_bound, found.slowest_bound);
        GatherPlan entry;
        entry.plan.schedule = make_ring_schedule(found.order, request.block, names);
        entry.plan.schedule.algorithm = std::string(algorithm->name);
        entry.plan.schedule.ports = fabric.ports();
        entry.plan.schedule.ports.count = request.ports;
        entry.plan.timeline = simulate::simulate(entry.plan.schedule, fabric);
        if (best && best->plan.timeline.makespan <= entry.plan.timeline.makespan) continue;
        entry.value = gather::value_of(problem, found.order);
        entry.order = std::move(found.order);
        best = std::move(entry);
    }
    if (slowest_bound == 0) slowest_bound = gather::slowest_step_bound(problem);
    best->slowest_bound = Seconds(slowest_bound);
    schedule::Plan& plan = best->plan;
    plan.scope = schedule::BoundScope::any;
    plan.lower_bound = std::min(collective_bound(fabric, plan.schedule.collective, request.ports),
                                plan.timeline.makespan);
    constexpr double rounding = 1e-12;
    plan.optimal = plan.timeline.makespan <= plan.lower_bound * (1 + rounding);
    return *std::move(best);
}

}  // namespace espalier::plan
