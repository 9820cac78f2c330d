#include "plan/composed/by_kind.hpp"

#include "plan/composed/exchanges.hpp"
#include "plan/composed/gathers.hpp"
#include "plan/composed/packed.hpp"
#include "plan/composed/packed_blocks.hpp"
#include "plan/composed/scatters.hpp"

namespace espalier::plan::composed {

std::vector<schedule::Schedule> direct(const Problem& problem) {
    using enum schedule::Kind;
    switch (problem.request->kind) {
        case scatter:
        case gather:
            return direct_blocks(problem);
        case allgather:
        case reduce_scatter:
            return direct_to_all(problem);
        default:
            return {};
    }
}

std::vector<schedule::Schedule> by_levels(const Problem& problem) {
    using enum schedule::Kind;
    switch (problem.request->kind) {
        case scatter:
        case gather:
            return blocks_by_levels(problem);
        case allgather:
        case reduce_scatter:
            return gather_by_levels(problem);
        case alltoall:
            return exchange_by_levels(problem);
        default:
            return {};
    }
}

std::vector<schedule::Schedule> packed(const Problem& problem) {
    return schedule::has_blocks(problem.request->kind) ? packed_blocks(problem)
                                                       : packed_messages(problem);
}

}  // namespace espalier::plan::composed
