#include "ring/plan.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/meter.hpp"
#include "network/to_links.hpp"
#include "ring/bound.hpp"
#include "ring/fair.hpp"
#include "ring/fair_share.hpp"
#include "ring/planner.hpp"
#include "ring/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace espalier::ring {

namespace {

using schedule::RingSharing;

constexpr double tolerance = 1e-9;

schedule::Ring ring_of(const Problem& problem, const Request& request, const Solution& solution) {
    schedule::Ring result;
    result.work = request.work;
    result.exchange = request.exchange;
    result.sharing = request.sharing;
    result.algorithm = request.algorithm;
    result.refinement =
        std::ranges::find(refinements, request.refinement, &NamedRefinement::refinement)->name;
    const Embedding& embedding = solution.embedding;
    const std::vector<Host>& order = embedding.order;
    const auto vertex = [&](std::size_t place) {
        return std::size_t{problem.platform.vertex_of(order[place])};
    };
    const auto path = [&](std::size_t from, std::size_t to, const Path& links, double rate) {
        result.paths.push_back({vertex(from), vertex(to), {links.begin(), links.end()}, rate});
    };
    for (std::size_t place = 0; place < order.size(); ++place) {
        result.order.push_back(vertex(place));
        if (order.size() == 1) break;
        path(place, embedding.after(place), embedding.to_successor[place],
             solution.rates.to_successor[place]);
        path(place, embedding.before(place), embedding.to_predecessor[place],
             solution.rates.to_predecessor[place]);
    }
    result.shares = solution.division.shares;
    result.step_time = solution.division.step_time;
    return result;
}

/// The set of rings among which `optimal` is the best.
std::string scope_of(const Platform& platform, PathChoice paths) {
    if (platform.has_routes()) return "routes";
    switch (paths) {
        case PathChoice::widest:
            return "widest-paths";
        case PathChoice::shortest:
            return "shortest-paths";
        case PathChoice::all:
            return "all-paths";
    }
    return {};
}

/// `auto`: the search for fair rings, from the ring that is best where bandwidth is reserved; else
/// the named planner's order, divided as fair sharing asks for.
Found plan_for_fair(const Problem& problem, const Algorithm& algorithm, const Settings& settings) {
    Settings reserved = settings;
    if (algorithm.name == "auto") {
        constexpr double part = 0.2;
        reserved.limits.time = settings.limits.time * part;
        if (reserved.limits.work) *reserved.limits.work /= 5;
    }
    std::vector<Host> order = algorithm.make(problem, reserved).solution.embedding.order;
    if (algorithm.name != "auto") {
        const auto balancing = Balancing::thorough(order.size());
        return {FairShare(problem).divide(std::move(order), balancing), false};
    }
    Settings rest = settings;
    rest.limits.time = settings.limits.time - reserved.limits.time;
    const std::vector<std::vector<Host>> starts{std::move(order)};
    return plan_fair(problem, rest, starts);
}

/// Throws InputError where times lie so far apart that sums in doubles tell nothing of the lesser,
/// and their products overflow.
void require_comparable(const network::LinksNetwork& network, const Request& request) {
    constexpr double farthest_apart = 1e24;
    constexpr double most = 1e100;
    struct Time {
        double value;
        std::string of;
    };
    Time shortest{infinity, {}};
    Time longest{0, {}};
    const auto see = [&](double value, const std::string& what, const std::string& name) {
        if (value < shortest.value) shortest = {value, fmt::format("{} '{}'", what, name)};
        if (value > longest.value) longest = {value, fmt::format("{} '{}'", what, name)};
    };
    for (const auto& node : network.nodes)
        if (node.cycle_time) see(request.work * *node.cycle_time, "host", node.name);
    for (const auto& link : network.links)
        see(request.exchange / link.bandwidth.value, "link", link.name);
    if (shortest.value >= 1 / most && longest.value <= most &&
        longest.value <= shortest.value * farthest_apart)
        return;
    throw InputError(
        fmt::format("{} takes {:.3g} for all the work or one message, and {} {:.3g}: too far apart "
                    "to be planned",
                    shortest.of, shortest.value, longest.of, longest.value));
}

}  // namespace

network::LinksNetwork physical_network(const network::Network& network, double exchange) {
    if (const auto* links = network.links()) return *links;
    if (const auto* pairwise = network.pairwise()) return to_links(*pairwise);
    if (const auto* grid = network.grid()) {
        if (exchange != std::floor(exchange) || exchange > 0x1.0p53)
            throw InputError(fmt::format(
                "a grid's costs are for whole bytes, and the exchange is {}", exchange));
        return to_links(*grid, Bytes(static_cast<std::uint64_t>(exchange)));
    }
    throw InputError("model", "",
                     fmt::format("a {} network does not say what its nodes compute, nor what "
                                 "lies between them",
                                 network.model_name()));
}

schedule::Ring plan_ring(const network::LinksNetwork& network, const Request& request) {
    assert(request.work > 0 && request.exchange > 0);
    const bool fair = request.sharing == RingSharing::fair;
    const Platform platform(network);
    require_comparable(network, request);
    const PathChoice paths =
        request.paths.value_or(fair ? PathChoice::shortest : PathChoice::widest);
    const RouteTable routes =
        paths == PathChoice::shortest ? shortest_routes(platform) : widest_routes(platform);
    const Problem problem{platform, routes, request.work, request.exchange};
    const Algorithm* algorithm = find_algorithm(request.algorithm);
    if (algorithm == nullptr)
        throw InputError(fmt::format("no algorithm '{}' plans rings", request.algorithm));
    const Meter meter(request.limits);
    Settings settings{request.refinement, paths, request.limits, request.seed};
    settings.limits.time = request.limits.time * 0.85;  // the bound has the rest
    const Found found =
        fair ? plan_for_fair(problem, *algorithm, settings) : algorithm->make(problem, settings);

    schedule::Ring result = ring_of(problem, request, found.solution);
    result.scope = scope_of(platform, paths);
    Limits rest = meter.share(1);
    rest.time = std::max(rest.time, request.limits.time / 10);
    const double bound = lower_bound(problem, request.sharing, rest, result.step_time);
    result.lower_bound = std::min(bound, result.step_time);
    result.optimal = found.optimal;
    // Whatever the paths: nothing is shorter.
    const bool met = bound >= result.step_time * (1 - tolerance);
    const bool over_all = paths == PathChoice::all || platform.has_routes();
    if (met && !result.optimal) {
        result.optimal = true;
        if (!fair && !platform.has_routes()) result.scope = "all-paths";
    }
    if (result.optimal && over_all) result.lower_bound = result.step_time;
    return result;
}

}  // namespace espalier::ring
