#include "plan/checked_request.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/race_effort.hpp"
#include "schedule/timeline.hpp"
#include "simulate/rank_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::plan {

namespace {

using schedule::Kind;

/// Whether all that messages between nodes share is stated.
bool is_capped(const Job& job, const simulate::Fabric& fabric) {
    for (std::size_t from = 0; from < fabric.nodes(); ++from)
        for (std::size_t to = 0; to < fabric.nodes(); ++to)
            if (job.places[from] != job.places[to] && fabric.draws(from, to).empty()) return false;
    return !fabric.capacities().empty();
}

bool has_clusters(const Site& site) {
    return std::ranges::any_of(site.members,
                               [](const Site& member) { return !member.members.empty(); });
}

/// A rule of a paper that plans one tree for one message.
bool is_for_whole_messages(const Request& request) {
    if (const Algorithm* inside = find_algorithm(Family::local, request.algorithm);
        inside != nullptr && serves(*inside, request.kind))
        return !std::get<local::Strategy>(inside->make).segmented;
    const Algorithm* between = find_algorithm(Family::grid, request.algorithm);
    return between != nullptr && serves(*between, request.kind);
}

}  // namespace

Request checked(const Job& job, Request request) {
    if (request.ports == std::size_t{0}) throw InputError("ports", "", "a node has at least one");
    if (request.robust && (*request.robust < schedule::least_percentile ||
                           *request.robust > schedule::most_percentile))
        throw InputError("robust", "",
                         fmt::format("{} is not from {} to {}", *request.robust,
                                     schedule::least_percentile, schedule::most_percentile));
    const std::size_t ranks = job.places.size();
    if (schedule::has_root(request.kind) && request.root >= ranks)
        throw InputError("root", "", "no rank has this number");
    if (request.blocks && request.blocks->size() != ranks)
        throw InputError("blocks", "",
                         fmt::format("{} for {} ranks", request.blocks->size(), ranks));
    if (request.kind == Kind::barrier && request.bytes.value > 0)
        throw InputError("bytes", "", "a barrier has none");
    if (request.kind == Kind::alltoall && request.ports)
        request.ports = std::min(*request.ports, std::max<std::size_t>(ranks, 2) - 1);
    if (request.segmenting.mode == Segmenting::Mode::usual)
        request.segmenting.mode =
            is_for_whole_messages(request) ? Segmenting::Mode::none : Segmenting::Mode::automatic;
    // What is not combined, and what has no bytes, has no order.
    if (!schedule::combines(request.kind) || request.kind == Kind::barrier) request.ordered = false;
    return request;
}

std::vector<std::size_t> port_counts(const Job& job, const Request& request, const Site& site) {
    if (request.ports) return {*request.ports};
    std::vector<std::size_t> counts{1};
    if (!site.is_known()) return counts;
    const bool exchange = request.kind == Kind::alltoall;
    const bool of_blocks = schedule::has_blocks(request.kind) || exchange;
    if (!of_blocks && has_clusters(site)) return counts;
    const auto stated =
        simulate::make_rank_fabric(*job.view, job.places, network::Unstated::separate);
    if (!is_capped(job, *stated)) return counts;
    const std::size_t all = job.places.size() - 1;
    while (counts.back() < all)
        counts.push_back(std::min(counts.back() * race_effort.more_ports, all));
    return counts;
}

}  // namespace espalier::plan
