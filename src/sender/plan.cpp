#include "sender/plan.hpp"

#include "core/error.hpp"
#include "sender/algorithm.hpp"
#include "sender/quick_bound.hpp"
#include "sender/sequence.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace espalier::sender {

namespace {

/// More than the rounding of a sum of times.
constexpr double rounding = 1e-12;

/// The first node of a class of the problem.
std::size_t first_of(const network::SenderNetwork& network, double time) {
    std::size_t first = 0;
    for (const auto& members : network.classes) {
        if (members.transmission_time == time) return first;
        first += members.count;
    }
    assert(false);
    return 0;
}

}  // namespace

Plan finish_plan(const network::SenderNetwork& network, const Request& request, Problem problem,
                 Result result) {
    Plan plan{std::move(problem), std::move(result), request.algorithm, 0};
    Result& found = plan.result;
    const double bound = std::max(found.lower_bound, quick_bound(plan.problem));
    // What is computed in ticks or by other sums may be a hair off.
    found.optimal = found.optimal || found.makespan <= bound * (1 + 2 * rounding);
    found.lower_bound = found.optimal ? found.makespan : std::min(bound, found.makespan);
    plan.root =
        request.root.value_or(first_of(network, plan.problem.classes[found.sequence.root].time));
    return plan;
}

Plan make_plan(const network::SenderNetwork& network, const Request& request) {
    // What proves is what ends the search for the best.
    const bool any = request.algorithm == "auto";
    const Algorithm* algorithm = find_algorithm(request.kind, any ? "optimal" : request.algorithm);
    if (algorithm == nullptr)
        throw InputError("algorithm", "",
                         fmt::format("no algorithm for a {} among senders is named '{}'",
                                     name_of(request.kind), request.algorithm));
    Request named = request;
    named.algorithm = algorithm->name;
    Problem problem = make_problem(network, request.kind, request.root, request.ports);
    Result result = algorithm->make(problem, request.limits);
    return finish_plan(network, named, std::move(problem), std::move(result));
}

schedule::Plan Plan::expand(const network::Network& network) const {
    schedule::Plan plan;
    plan.schedule = to_schedule(problem, result.sequence, *network.sender(), root);
    plan.schedule.algorithm = algorithm;
    plan.timeline = simulate::simulate(plan.schedule, *simulate::make_fabric(network));
    plan.lower_bound = Seconds(std::min(result.lower_bound, plan.timeline.makespan.value));
    plan.any_bound = plan.lower_bound;  // there is no half of a unit message
    plan.optimal = result.optimal;
    return plan;
}

}  // namespace espalier::sender
