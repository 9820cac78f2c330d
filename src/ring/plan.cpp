#include "ring/plan.hpp"

#include "core/error.hpp"
#include "ring/algorithm.hpp"
#include "ring/allocation.hpp"
#include "ring/bound.hpp"
#include "ring/fair.hpp"
#include "ring/fair_share.hpp"
#include "ring/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <limits>

namespace espalier::ring {

namespace {

using schedule::RingSharing;

constexpr double tolerance = 1e-9;

Planner find_planner(const std::string& name) {
    const Algorithm* algorithm = find_algorithm(name);
    if (algorithm == nullptr) throw InputError(fmt::format("no algorithm '{}' plans rings", name));
    return algorithm->make;
}

/// A tenth of the limits as they were, or what is left of the time; other limits stay.
class Watch {
public:
    explicit Watch(Limits limits) : limits_(limits) {}
    [[nodiscard]] Limits rest() const {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
        Limits rest = limits_;
        rest.time = std::max(limits_.time - Seconds(spent.count()), limits_.time / 10);
        return rest;
    }

private:
    Limits limits_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// For the planner; the bound has the rest.
Limits most_of(Limits limits) {
    limits.time = limits.time * 0.85;
    return limits;
}

schedule::Ring ring_of(const Problem& problem, const Request& request, const Solution& solution) {
    schedule::Ring result;
    result.work = request.work;
    result.exchange = request.exchange;
    result.sharing = request.sharing;
    result.algorithm = request.algorithm;
    result.refinement = request.refinement;
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

/// What `optimal` ranges over.
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

Found plan_reserved(const Problem& problem, const Request& request, const Settings& settings) {
    return find_planner(request.algorithm)(problem, settings);
}

/// `auto`: the search for fair rings, from the ring that is best where bandwidth is reserved; else
/// the named planner's order, divided as fair sharing asks for.
Found plan_for_fair(const Problem& problem, const Request& request, const Settings& settings) {
    Settings reserved = settings;
    if (request.algorithm == "auto") {
        constexpr double part = 0.2;
        reserved.limits.time = settings.limits.time * part;
        if (reserved.limits.work) *reserved.limits.work /= 5;
    }
    Solution first = plan_reserved(problem, request, reserved).solution;
    if (request.algorithm != "auto") {
        const auto hosts = first.embedding.size();
        return {
            FairShare(problem).divide(std::move(first.embedding.order), Balancing::thorough(hosts)),
            false, 0};
    }
    Settings rest = settings;
    rest.limits.time = settings.limits.time - reserved.limits.time;
    const std::vector<std::vector<Host>> starts{std::move(first.embedding.order)};
    return plan_fair(problem, rest, starts);
}

double bound_of(const Problem& problem, const Found& found, const Limits& limits) {
    std::vector<double> prices(problem.platform.links(), 0);
    if (found.solution.embedding.size() > 1)
        prices = optimal_rates(problem, found.solution.embedding, tolerance, &found.solution.rates)
                     .prices;
    return std::max(found.lower_bound,
                    lower_bound(problem, prices, limits, found.solution.division.step_time));
}

double fair_bound_of(const Problem& problem, const Found& found, const Limits& limits) {
    return std::max({found.lower_bound, fair_bound_by_host(problem),
                     fair_lower_bound(problem, limits, found.solution.division.step_time)});
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
    Time shortest{std::numeric_limits<double>::infinity(), {}};
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
    const Watch watch(request.limits);
    const Settings settings{request.refine, paths, most_of(request.limits), request.seed};
    const Found found = fair ? plan_for_fair(problem, request, settings)
                             : plan_reserved(problem, request, settings);

    schedule::Ring result = ring_of(problem, request, found.solution);
    result.scope = scope_of(platform, paths);
    const double bound =
        fair ? fair_bound_of(problem, found, watch.rest()) : bound_of(problem, found, watch.rest());
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
