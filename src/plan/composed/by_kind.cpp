#include "plan/composed/by_kind.hpp"

#include "plan/composed/exchanges.hpp"
#include "plan/composed/gathers.hpp"
#include "plan/composed/scatters.hpp"
#include "schedule/mirror.hpp"
#include "schedule/validate.hpp"
#include "simulate/transposed.hpp"

namespace espalier::plan::composed {

namespace {

bool has_root(const Problem& problem) { return schedule::has_root(problem.request->kind); }

}  // namespace

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

std::vector<schedule::Schedule> direct(const Problem& problem, Meter& meter) {
    return as_asked(problem, meter, has_root(problem) ? direct_blocks : direct_to_all, false);
}

std::vector<schedule::Schedule> by_levels(const Problem& problem, Meter& meter) {
    if (problem.request->kind == schedule::Kind::alltoall)
        return exchange_by_levels(problem, meter);
    return as_asked(problem, meter, has_root(problem) ? blocks_by_levels : gather_by_levels);
}

}  // namespace espalier::plan::composed
