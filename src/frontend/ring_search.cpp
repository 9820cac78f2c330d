#include "frontend/ring_search.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"
#include "frontend/all_nodes.hpp"
#include "frontend/ring_file.hpp"
#include "network/json.hpp"
#include "plan/exchange/bound.hpp"
#include "ring/exchange.hpp"
#include "ring/planner.hpp"
#include "schedule/ring_json.hpp"
#include "simulate/check_ring.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <vector>

namespace espalier::frontend {

namespace {

using network::LinksNetwork;
using ring::PathChoice;
using schedule::Ring;

struct NamedPaths {
    std::string_view name;
    PathChoice paths;
};
constexpr std::array<NamedPaths, 3> path_choices{
    {{"widest", PathChoice::widest}, {"shortest", PathChoice::shortest}, {"all", PathChoice::all}}};

template <typename Entries>
const auto& find_named(const Entries& entries, const std::string& name, const std::string& option) {
    std::vector<std::string_view> names;
    for (const auto& entry : entries) {
        if (entry.name == name) return entry;
        names.push_back(entry.name);
    }
    throw InputError(option, "", fmt::format("'{}' is none of {}", name, fmt::join(names, ", ")));
}

/// Checks the ring as any other: a planner's claims are not trusted.
void require_valid(const Ring& ring, const LinksNetwork& platform) {
    const std::string text = to_text(to_json(ring, platform));
    const auto check = simulate::check_ring(schedule::parse_ring(text, "ring"), platform);
    if (check.violation)
        throw Error(ExitStatus::internal_fault,
                    fmt::format("the ring that was planned is not valid: {}", *check.violation));
}

}  // namespace

ring::Request request_of(const RingSearchOptions& options) {
    ring::Request request;
    request.work = parse_work(options.work);
    request.exchange = parse_exchange(options.exchange);
    request.algorithm = find_named(ring::algorithms(), options.algorithm, "--algorithm").name;
    request.refinement = find_named(ring::refinements, options.refine, "--refine").refinement;
    if (request.refinement != ring::Refinement::none && options.algorithm != "greedy" &&
        options.algorithm != "auto")
        throw InputError("--refine", "",
                         fmt::format("{} grows no ring; greedy and auto do", options.algorithm));
    const auto sharing = schedule::find_sharing(options.sharing);
    if (!sharing)
        throw InputError("--sharing", "",
                         fmt::format("'{}' is none of reserved, fair", options.sharing));
    request.sharing = *sharing;
    if (!options.paths.empty())
        request.paths = find_named(path_choices, options.paths, "--paths").paths;
    if (request.sharing == schedule::RingSharing::fair && request.paths == PathChoice::all)
        throw InputError("--paths", "",
                         "where links are shared fairly, messages take the network's own paths");
    request.limits.time = parse_seconds(options.time_limit, "--time-limit");
    request.seed = parse_count(options.seed, "--seed");
    return request;
}

PlannedRing search_ring(const network::Network& network, const std::string& network_file,
                        const ring::Request& request) {
    PlannedRing planned;
    try {
        planned.platform = ring::physical_network(network, request.exchange);
        planned.ring = plan_ring(planned.platform, request);
    } catch (const InputError& error) {
        // Planning knows the network, but not the file it came from.
        throw InputError(network_file, "", error.what());
    }
    planned.ring.network = network::fingerprint(network);
    require_valid(planned.ring, planned.platform);
    return planned;
}

schedule::Plan exchange_of(const PlannedRing& planned, const network::Network& network) {
    const AllNodes nodes(network);
    const simulate::Fabric& fabric = nodes.fabric();
    schedule::Plan plan;
    plan.schedule = ring::exchange_schedule(planned.ring, planned.platform, fabric, nodes.names());
    plan.schedule.network = planned.ring.network;
    plan.timeline = simulate::simulate(plan.schedule, fabric);
    const auto problem =
        plan::exchange::make_problem(fabric, plan.schedule.collective, plan.schedule.ports.count);
    plan.lower_bound = Seconds(plan::exchange::exchange_bound(problem));
    plan.scope = schedule::BoundScope::whole_message;
    return plan;
}

}  // namespace espalier::frontend
