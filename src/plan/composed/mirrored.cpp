#include "plan/composed/mirrored.hpp"

#include "schedule/mirror.hpp"
#include "schedule/validate.hpp"
#include "simulate/transposed.hpp"

namespace espalier::plan::composed {

std::vector<schedule::Schedule> mirrored(const Problem& problem, Planner planner) {
    Request request = *problem.request;
    request.kind = request.kind == schedule::Kind::gather ? schedule::Kind::scatter
                                                          : schedule::Kind::allgather;
    const auto fabric = simulate::transposed(*problem.fabric);
    Problem turned = problem;
    turned.request = &request;
    turned.fabric = fabric.get();
    auto candidates = planner(turned);
    for (auto& candidate : candidates) candidate = schedule::mirror(candidate);
    if (problem.request->ordered && problem.request->kind == schedule::Kind::reduce_scatter)
        std::erase_if(candidates, [](const schedule::Schedule& candidate) {
            return schedule::find_violation(candidate).has_value();
        });
    return candidates;
}

}  // namespace espalier::plan::composed
