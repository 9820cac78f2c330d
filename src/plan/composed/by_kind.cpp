#include "plan/composed/by_kind.hpp"

#include "plan/composed/exchanges.hpp"
#include "plan/composed/gathers.hpp"
#include "plan/composed/packed.hpp"
#include "plan/composed/packed_blocks.hpp"
#include "plan/composed/scatters.hpp"
#include "plan/meter.hpp"

#include <algorithm>

namespace espalier::plan::composed {

namespace {

/// The share of its limits that a hurried planner that looks at all gives to packing. Where many
/// pairs are alike, trees by levels do about as well in far less time; but for a message among few
/// that takes long itself, and, from one port, for one that takes not so long among very few.
double share_for_packing(const Problem& problem) {
    constexpr std::size_t few_ranks = 128;
    constexpr Bytes long_message{512 << 10};
    constexpr std::size_t very_few_ranks = 32;
    constexpr Bytes medium_message{64 << 10};
    constexpr double little = 0.125;
    const CollectiveRequest& request = *problem.request;
    const std::size_t ranks = problem.job->places.size();
    if (std::ranges::all_of(problem.site->members,
                            [](const Site& member) { return member.members.empty(); }))
        return 1;
    if (!schedule::has_root(request.kind)) return 0;
    if (request.bytes >= long_message && ranks <= few_ranks) return 1;
    const bool pays =
        request.bytes >= medium_message && ranks <= very_few_ranks && problem.ports == 1;
    return pays ? little : 0;
}

std::vector<schedule::Schedule> packed_in_full(const Problem& problem) {
    return schedule::has_blocks(problem.request->kind) ? packed_blocks(problem)
                                                       : packed_messages(problem);
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
    if (problem.request->algorithm != "auto" || !problem.request->hurried)
        return packed_in_full(problem);
    const double share = share_for_packing(problem);
    if (share == 0) return {};
    CollectiveRequest request = *problem.request;
    request.limits = Meter(request.limits).share(share);
    Problem briefly = problem;
    briefly.request = &request;
    return packed_in_full(briefly);
}

}  // namespace espalier::plan::composed
