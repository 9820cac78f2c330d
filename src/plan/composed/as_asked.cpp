#include "plan/composed/as_asked.hpp"

#include "schedule/mirror.hpp"
#include "schedule/validate.hpp"
#include "simulate/transposed.hpp"

namespace espalier::plan::composed {

std::vector<schedule::Schedule> as_asked(const Problem& problem, Meter& meter, Planner planner,
                                         bool relays) {
    if (relays && problem.request->direct) return {};
    if (!schedule::combines(problem.request->kind) &&
        problem.request->kind != schedule::Kind::gather)
        return planner(problem, meter);
    Request request = *problem.request;
    request.kind = request.kind == schedule::Kind::gather ? schedule::Kind::scatter
                                                          : schedule::Kind::allgather;
    const auto fabric = simulate::transposed(*problem.fabric);
    Problem turned = problem;
    turned.request = &request;
    turned.fabric = fabric.get();
    auto candidates = planner(turned, meter);
    for (auto& candidate : candidates) candidate = schedule::mirror(candidate);
    if (problem.request->ordered && problem.request->kind == schedule::Kind::reduce_scatter)
        std::erase_if(candidates, [](const schedule::Schedule& candidate) {
            return schedule::find_violation(candidate).has_value();
        });
    return candidates;
}

}  // namespace espalier::plan::composed
