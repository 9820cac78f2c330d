#include "sender/plan.hpp"

#include "core/error.hpp"
#include "sender/algorithm.hpp"
#include "sender/quick_bound.hpp"
#include "sender/sequence.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace espalier::sender {

Plan make_plan(const network::SenderNetwork& network, const Request& request) {
    // What proves is what ends the search for the best.
    const bool any = request.algorithm == "auto";
    const Algorithm* algorithm = find_algorithm(request.kind, any ? "optimal" : request.algorithm);
    if (algorithm == nullptr)
        throw InputError("algorithm", "",
                         fmt::format("no {} algorithm among senders is named '{}'",
                                     name_of(request.kind), request.algorithm));
    Plan plan{.problem = make_problem(network, request.kind, request.root, request.ports),
              .result = {},
              .algorithm = std::string(algorithm->name)};
    plan.result = request.techniques
                      ? paper_search(plan.problem, request.limits, *request.techniques)
                      : algorithm->make(plan.problem, request.limits);
    plan.result.raise_bound(quick_bound(plan.problem));
    if (request.root) {
        plan.root = *request.root;
    } else {  // the first node of its class
        const double time = plan.problem.classes[plan.result.sequence.root].time;
        for (const auto& members : network.classes) {
            if (members.transmission_time == time) break;
            plan.root += members.count;
        }
    }
    return plan;
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
