#include "grid_problem.hpp"

#include "core/error.hpp"
#include "grid_options.hpp"
#include "network/json.hpp"
#include "plan/collective_plan.hpp"
#include "result.hpp"
#include "schedule_answer.hpp"
#include "simulate/rank_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace espalier::cli {

namespace {

using network::Cluster;
using network::GridNetwork;

/// A cluster whose broadcast time is stated for any size; nullptr where there is none.
const Cluster* find_known_broadcast(const GridNetwork& grid) {
    for (const Cluster& cluster : grid.clusters) {
        if (std::holds_alternative<Cluster::KnownBroadcast>(cluster.inside)) return &cluster;
        if (const auto* inner = cluster.grid())
            if (const Cluster* found = find_known_broadcast(*inner)) return found;
    }
    return nullptr;
}

}  // namespace

GridProblem::GridProblem(Setting setting)
    : PlanningProblem(std::move(setting)),
      grid_(as_grid(network())),
      view_(grid_),
      job_(plan::Job::everywhere(view_)) {
    if (!options().without.empty())
        throw InputError("--without", "", "only paper-search has techniques to do without");
    request_.root = read_root(options(), view_);
    request_.bytes = read_bytes(options(), grid_);
    request_.local = options().local.empty() ? "auto" : options().local;
    request_.kind = kind();
    request_.ports = ports();
    request_.limits = limits();
    require_local();
    (void)segmenting("auto");
}

void GridProblem::warn_of_assumptions() const {
    const Cluster* cluster = options().bytes.empty() ? nullptr : find_known_broadcast(grid_);
    if (cluster != nullptr)
        warn(fmt::format(
            "{}: cluster '{}' states one broadcast_s for any size; --bytes does not change it",
            options().network, cluster->name));
}

plan::Segmenting GridProblem::segmenting(const std::string& algorithm) const {
    using Mode = plan::Segmenting::Mode;
    if (const auto stated = read_segmenting(options())) return *stated;
    if (algorithm == "auto") return {Mode::automatic, {}};
    const auto found = std::ranges::find(algorithms(), algorithm, &plan::Algorithm::name);
    const auto* strategy =
        found == algorithms().end() ? nullptr : std::get_if<plan::local::Strategy>(&(*found)->make);
    return {strategy != nullptr && strategy->segmented ? Mode::automatic : Mode::none, {}};
}

void GridProblem::require_local() const {
    if (request_.local == "auto" ||
        plan::find_algorithm(plan::Family::local, request_.local) != nullptr)
        return;
    std::vector<const plan::Algorithm*> known;
    for (const plan::Algorithm& algorithm : plan::algorithms())
        if (algorithm.family == plan::Family::local) known.push_back(&algorithm);
    throw InputError("--local", "",
                     fmt::format("'{}' is none of {}", options().local, names_of(known)));
}

bool GridProblem::knows_ranks() const {
    return options().ranks || grid_.size() == job_.places.size();
}

void GridProblem::require_algorithm(const std::string& name) const {
    PlanningProblem::require_algorithm(name);
    if (!is_composed(name)) return;
    if (!knows_ranks())
        throw InputError("--algorithm", "",
                         fmt::format("{} plans between ranks: give --ranks, too", name));
    if (!options().local.empty())
        throw InputError("--local", "", fmt::format("{} plans all clusters at once", name));
}

bool GridProblem::shows(const plan::Algorithm& algorithm) const {
    if (algorithm.family == plan::Family::composed) return knows_ranks() && options().local.empty();
    return PlanningProblem::shows(algorithm);
}

std::unique_ptr<Answer> GridProblem::plan(const std::string& algorithm) const {
    try {
        if (is_composed(algorithm)) return answer(plan_composed(algorithm));
        std::optional<schedule::Plan> composed;
        if (algorithm == "auto" && (options().ranks || knows_ranks()) && options().local.empty())
            composed = best_composed();
        const Seconds longest = composed ? composed->timeline.makespan * plan::most_gained_by_timing
                                         : Seconds(std::numeric_limits<double>::infinity());
        std::optional<plan::JobPlan> found = plan_job_within(job_, job_request(algorithm), longest);
        if (!found) return answer(*std::move(composed));
        plan::JobPlan& both = *found;
        const auto answer_better = [&](schedule::Plan& plan) {
            const bool better = composed && composed->timeline.makespan < plan.timeline.makespan;
            return answer(std::move(better ? *composed : plan));
        };
        if (!options().ranks) return answer_better(both.clusters);
        if (!both.ranks)
            throw InputError(
                "broadcast_s", "",
                "--ranks needs to know the inside of every cluster, not only its time");
        return answer_better(*both.ranks);
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options().network, "", error.what());
    }
}

plan::JobRequest GridProblem::job_request(const std::string& algorithm) const {
    plan::JobRequest request = request_;
    request.algorithm = algorithm;
    request.segmenting = segmenting(algorithm);
    return request;
}

schedule::Plan GridProblem::plan_composed(const std::string& algorithm) const {
    plan::CollectiveRequest request;
    request.kind = kind();
    request.root = request_.root;
    request.bytes = request_.bytes;
    request.algorithm = algorithm;
    if (const auto stated = read_segmenting(options())) request.segmenting = *stated;
    request.ports = stated_ports();
    request.limits = limits();
    schedule::Plan plan = plan_collective(job_, request);
    if (options().ranks) return plan;
    for (std::size_t i = 0; i < plan.schedule.nodes.size(); ++i)
        plan.schedule.nodes[i] = grid_.clusters[i].name;
    return plan;
}

std::optional<schedule::Plan> GridProblem::best_composed() const {
    std::optional<schedule::Plan> best;
    const auto fabric = simulate::make_rank_fabric(*job_.view, job_.places);
    // Where every node is a cluster of its own, the network tells of each pair by itself.
    if (!plan::composes(kind(), false, *fabric) && grid_.size() < job_.places.size()) return best;
    for (const plan::Algorithm* algorithm : algorithms()) {
        if (algorithm->family != plan::Family::composed || !algorithm->by_default) continue;
        try {
            schedule::Plan plan = plan_composed(std::string(algorithm->name));
            if (!best || plan.timeline.makespan < best->timeline.makespan) best = std::move(plan);
        } catch (const InputError&) {
            // Not every algorithm takes every size and every number of ranks.
        }
    }
    return best;
}

std::unique_ptr<Answer> GridProblem::answer(schedule::Plan plan) const {
    plan.schedule.network = network::fingerprint(network());
    return std::make_unique<ScheduleAnswer>(
        std::move(plan), options().ranks ? lane_groups(view_) : std::vector<report::LaneGroup>());
}

}  // namespace espalier::cli
