#include "plan/composed/by_kind.hpp"

#include "plan/composed/exchanges.hpp"
#include "plan/composed/gathers.hpp"
#include "plan/composed/packed.hpp"
#include "plan/composed/packed_blocks.hpp"
#include "plan/composed/scatters.hpp"

#include <algorithm>

namespace espalier::plan::composed {

namespace {

/// Where many pairs are alike, trees by levels do about as well in far less time; but for a message
/// among few that takes long itself.
bool pays_to_pack(const Problem& problem) {
    constexpr std::size_t few_ranks = 128;
    constexpr Bytes long_message{512 << 10};
    const CollectiveRequest& request = *problem.request;
    const bool each_alone = std::ranges::all_of(
        problem.site->members, [](const Site& member) { return member.members.empty(); });
    const bool one_message = schedule::has_root(request.kind);
    return each_alone || (one_message && request.bytes >= long_message &&
                          problem.job->places.size() <= few_ranks);
}

}  // namespace

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
    const CollectiveRequest& request = *problem.request;
    if (request.algorithm == "auto" && request.hurried && !pays_to_pack(problem)) return {};
    return schedule::has_blocks(request.kind) ? packed_blocks(problem) : packed_messages(problem);
}

}  // namespace espalier::plan::composed
