#include "plan/composed/by_kind.hpp"

#include "plan/composed/exchanges.hpp"
#include "plan/composed/gathers.hpp"
#include "plan/composed/scatters.hpp"

namespace espalier::plan::composed {

std::vector<schedule::Schedule> direct(const Problem& problem, Meter& meter) {
    using enum schedule::Kind;
    switch (problem.request->kind) {
        case scatter:
        case gather:
            return direct_blocks(problem, meter);
        case allgather:
        case reduce_scatter:
            return direct_to_all(problem, meter);
        default:
            return {};
    }
}

std::vector<schedule::Schedule> by_levels(const Problem& problem, Meter& meter) {
    using enum schedule::Kind;
    switch (problem.request->kind) {
        case scatter:
        case gather:
            return blocks_by_levels(problem, meter);
        case allgather:
        case reduce_scatter:
            return gather_by_levels(problem, meter);
        case alltoall:
            return exchange_by_levels(problem, meter);
        default:
            return {};
    }
}

}  // namespace espalier::plan::composed
