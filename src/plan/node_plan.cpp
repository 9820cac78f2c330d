#include "plan/node_plan.hpp"

#include "core/error.hpp"
#include "plan/node/sequence.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>

namespace espalier::plan {

namespace {

using node::Problem;
using node::Result;
using node::Sequence;
using node::Ticks;

/// How many bases between one power of two and the next are tried.
constexpr int bases_tried = 16;
constexpr int most_doublings = 40;
/// More than the rounding of a sum of times.
constexpr double rounding = 1e-12;

/// All nodes in the order of their classes, fastest first.
Sequence fastest_first(const Problem& problem, std::size_t root) {
    Sequence sequence{root, {}};
    for (std::size_t c = 0; c < problem.classes.size(); ++c)
        if (const auto count = problem.classes[c].count - (c == root ? 1 : 0); count > 0)
            sequence.runs.push_back({c, count});
    return sequence;
}

/// Fastest first among nodes whose times are rounded down to base * 2^j: optimal for those.
double rounded_bound(const Problem& problem, double base) {
    std::vector<Ticks> time;
    for (const auto& members : problem.classes) {
        const int doublings = std::clamp(
            static_cast<int>(std::floor(std::log2(members.time / base))), 0, most_doublings);
        // The logarithm may have been rounded up.
        const bool fits = std::ldexp(base, doublings) <= members.time;
        time.push_back(Ticks{1} << (fits || doublings == 0 ? doublings : doublings - 1));
    }
    const auto course = run_course(problem, fastest_first(problem, problem.root.value_or(0)),
                                   std::span<const Ticks>(time));
    return static_cast<double>(course.makespan) * base * (1 - rounding);
}

/// With every node but the root as fast as the fastest.
double uniform_bound(const Problem& problem, std::size_t root) {
    const double fastest = problem.classes.front().time;
    Problem uniform = problem;
    uniform.classes = {{problem.is_broadcast() ? problem.classes[root].time : fastest, 1},
                       {fastest, problem.nodes() - 1}};
    if (problem.nodes() == 1) return 0;
    const std::vector<double> time{uniform.classes[0].time, fastest};
    const auto course =
        run_course(uniform, Sequence{0, {{1, problem.nodes() - 1}}}, std::span<const double>(time));
    return course.makespan * (1 - rounding);
}

double slowest_sender(const Problem& problem) {
    std::size_t c = problem.classes.size();
    while (c-- > 0)
        if (problem.classes[c].count > (problem.root == c ? 1U : 0U))
            return problem.classes[c].time;
    return 0;
}

std::vector<const Algorithm*> planners(schedule::Kind kind) {
    std::vector<const Algorithm*> found;
    for (const Algorithm& algorithm : algorithms())
        if (algorithm.family == Family::sender &&
            std::ranges::count(algorithm.collectives, kind) > 0)
            found.push_back(&algorithm);
    return found;
}

/// The first node of a class of the problem.
std::size_t first_of(const network::SenderNetwork& network, double time) {
    std::size_t first = 0;
    for (const auto& members : network.classes) {
        if (members.transmission_time == time) return first;
        first += members.count;
    }
    assert(false);
    return 0;
}

}  // namespace

double quick_bound(const Problem& problem) {
    const std::size_t root = problem.root.value_or(0);
    double bound = uniform_bound(problem, root);
    if (!problem.is_broadcast()) return std::max(bound, slowest_sender(problem));
    for (int i = 0; problem.ports == 1 && i < bases_tried; ++i)
        bound = std::max(bound, rounded_bound(problem, problem.classes.front().time *
                                                           std::exp2(-double(i) / bases_tried)));
    return bound;
}

NodePlan finish_node_plan(const network::SenderNetwork& network, const NodeRequest& request,
                          Problem problem, Result result) {
    NodePlan plan{std::move(problem), std::move(result), request.algorithm, 0};
    Result& found = plan.result;
    const double bound = std::max(found.lower_bound, quick_bound(plan.problem));
    // What is computed in ticks or by other sums may be a hair off.
    found.optimal = found.optimal || found.makespan <= bound * (1 + 2 * rounding);
    found.lower_bound = found.optimal ? found.makespan : std::min(bound, found.makespan);
    plan.root =
        request.root.value_or(first_of(network, plan.problem.classes[found.sequence.root].time));
    return plan;
}

NodePlan plan_nodes(const network::SenderNetwork& network, const NodeRequest& request) {
    const auto known = planners(request.kind);
    // What proves is what ends the search for the best; without it, all are tried.
    const bool any = request.algorithm == "auto";
    const bool proves = any && std::ranges::count(known, "optimal", &Algorithm::name) > 0;
    Problem problem = node::make_problem(network, request.kind, request.root, request.ports);
    std::optional<NodePlan> best;
    for (const Algorithm* algorithm : known) {
        if (proves ? algorithm->name != "optimal" : !any && algorithm->name != request.algorithm)
            continue;
        NodeRequest named = request;
        named.algorithm = algorithm->name;
        NodePlan plan =
            finish_node_plan(network, named, problem,
                             std::get<node::Planner>(algorithm->make)(problem, request.limits));
        if (!best || plan.result.makespan < best->result.makespan) best = std::move(plan);
    }
    if (!best)
        throw InputError("algorithm", "",
                         fmt::format("no algorithm for a {} among senders is named '{}'",
                                     name_of(request.kind), request.algorithm));
    return std::move(*best);
}

schedule::Plan NodePlan::expand(const network::Network& network) const {
    schedule::Plan plan;
    plan.schedule = to_schedule(problem, result.sequence, *network.sender(), root);
    plan.schedule.algorithm = algorithm;
    plan.timeline = simulate::simulate(plan.schedule, *simulate::make_fabric(network));
    plan.lower_bound = Seconds(std::min(result.lower_bound, plan.timeline.makespan.value));
    plan.any_bound = plan.lower_bound;  // there is no half of a unit message
    plan.optimal = result.optimal;
    return plan;
}

}  // namespace espalier::plan
