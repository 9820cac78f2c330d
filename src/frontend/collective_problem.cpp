#include "frontend/collective_problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "frontend/exchange_problem.hpp"
#include "frontend/grid_options.hpp"
#include "frontend/schedule_answer.hpp"
#include "network/json.hpp"
#include "plan/algorithm.hpp"
#include "plan/overhead.hpp"
#include "plan/scenarios.hpp"
#include "report/ring_remarks.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace espalier::frontend {

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

bool is_by_trees(schedule::Kind kind) {
    return kind == schedule::Kind::broadcast || kind == schedule::Kind::reduce;
}

}  // namespace

CollectiveProblem::CollectiveProblem(Setting setting, std::unique_ptr<PlanningProblem> exchange)
    : PlanningProblem(std::move(setting)),
      exchange_(std::move(exchange)),
      grid_(as_grid(network())),
      view_(grid_),
      job_(plan::Job::everywhere(view_)) {
    refuse_what_does_not_apply();
    require_local();
    request_ = read_request();
}

void CollectiveProblem::refuse_what_does_not_apply() const {
    const auto refuse = [](bool given, const std::string& option, const std::string& reason) {
        if (given) throw InputError(option, "", reason);
    };
    const std::string_view name = name_of(kind());
    refuse(!options().without.empty(), "--without",
           "only paper-search has techniques to do without");
    refuse(!options().root.empty() && !has_root(kind()), "--root",
           fmt::format("{} has no root", name));
    refuse(!options().local.empty() && !is_by_trees(kind()), "--local",
           fmt::format("{} is planned between all nodes at once", name));
    refuse(!options().segment.empty() &&
               (kind() == schedule::Kind::alltoall || kind() == schedule::Kind::allgather),
           "--segment", fmt::format("the blocks of an {} are sent whole", name));
    if (kind() != schedule::Kind::barrier) return;
    for (const auto& [option, value] :
         {std::pair("--bytes", &options().bytes), std::pair("--segment", &options().segment)})
        refuse(!value->empty(), option, fmt::format("{} carries no data", name));
}

void CollectiveProblem::require_local() const {
    if (options().local.empty() || options().local == "auto" ||
        plan::find_algorithm(Family::local, options().local) != nullptr)
        return;
    std::vector<const AlgorithmEntry*> known;
    for (const AlgorithmEntry* algorithm : known_algorithms())
        if (algorithm->family == Family::local) known.push_back(algorithm);
    throw InputError("--local", "",
                     fmt::format("'{}' is none of {}{}", options().local, names_of(known),
                                 suggestion(options().local, known)));
}

plan::Request CollectiveProblem::read_request() const {
    plan::Request request;
    request.kind = kind();
    if (has_root(kind())) request.root = read_root(options(), view_);
    if (!options().sizes.empty())
        read_sizes(request);
    else if (kind() != schedule::Kind::barrier)
        request.bytes = read_bytes(options(), grid_);
    if (!options().local.empty()) request.local = options().local;
    if (const auto segmenting = read_segmenting(options())) request.segmenting = *segmenting;
    request.ports = stated_ports();
    if (!options().robust.empty())
        request.robust = plan::parse_robust(options().robust, "--robust");
    return request;
}

void CollectiveProblem::read_sizes(plan::Request& request) const {
    if (!options().bytes.empty())
        throw InputError("--bytes", "", "--sizes says already what the blocks are");
    if (kind() == schedule::Kind::alltoall) {
        request.sizes = read_exchange_sizes(options().sizes, rank_names(job_));
        for (std::size_t i = 0; i < request.sizes->rows(); ++i)
            request.bytes = std::max(request.bytes, std::ranges::max(request.sizes->row(i)));
        return;
    }
    std::vector<Bytes> blocks = options().sizes.of_nodes(rank_names(job_));
    request.bytes = std::ranges::max(blocks);
    request.blocks = std::make_shared<const std::vector<Bytes>>(std::move(blocks));
}

std::vector<std::string> CollectiveProblem::assumptions() const {
    if (!options().bytes.empty() && !depends_on_size(grid_))
        return {fmt::format(
            "{}: no cost in it depends on the size of a message; --bytes does not change the time",
            options().network.name)};
    const Cluster* cluster =
        options().bytes.empty() || !is_by_trees(kind()) ? nullptr : find_known_broadcast(grid_);
    if (cluster == nullptr) return {};
    return {fmt::format(
        "{}: cluster '{}' states one broadcast_s for any size; --bytes does not change it",
        options().network.name, cluster->name)};
}

bool CollectiveProblem::shows(const AlgorithmEntry& algorithm) const {
    if (algorithm.family == Family::demands) return exchange_->shows(algorithm);
    const bool tree = algorithm.family == Family::grid || algorithm.family == Family::local;
    return tree || options().local.empty();
}

Limits CollectiveProblem::budget(const std::string& algorithm) const {
    const bool stated = !options().time_limit.empty();
    return algorithm == "auto" && !stated
               ? plan::standard_budget(job_.places.size(), request_.robust.has_value())
               : limits();
}

std::unique_ptr<Answer> CollectiveProblem::plan(const std::string& algorithm) const {
    const bool for_demands = std::ranges::any_of(algorithms(), [&](const AlgorithmEntry* entry) {
        return entry->family == Family::demands && entry->name == algorithm;
    });
    if (for_demands && request_.robust)
        throw InputError("--robust", "", fmt::format("{} plans for stated costs alone", algorithm));
    if (for_demands) return exchange_->plan(algorithm);
    plan::Request request = request_;
    request.algorithm = algorithm;
    try {
        plan::Race race = plan::race(job_, request, budget(algorithm));
        std::string remarks =
            report::ring_remarks(race.best().plan.schedule, *plan::fabric_of(job_));
        const auto& robust = race.best().plan.robust;
        if (request_.robust && !robust)
            throw InputError("--robust", "", "it has too many messages to be simulated so often");
        if (robust) remarks += report::explain_robust(*robust);
        if (race.presumption) remarks += plan::explain(*race.presumption);
        schedule::Plan plan = shown(std::move(race.ranked.front()));
        const bool by_rank = plan.schedule.nodes.size() == job_.places.size();
        if (by_rank)
            remarks += plan::explain_processors(
                plan.timeline.makespan, plan::processor_time(plan.schedule, grid_.message_time));
        return std::make_unique<ScheduleAnswer>(
            std::move(plan), by_rank ? lane_groups(view_) : std::vector<report::LaneGroup>(),
            std::move(remarks), std::move(race.considered), std::move(race.presumption));
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options().network.name, "", error.what());
    }
}

schedule::Plan CollectiveProblem::shown(plan::Ranked found) const {
    if (options().ranks && found.plan.schedule.nodes.size() < job_.places.size())
        throw InputError("broadcast_s", "",
                         "--ranks needs to know the inside of every cluster, not only its time");
    if (!found.simulated)
        found.plan.timeline = simulate::simulate(found.plan.schedule, *plan::fabric_of(job_));
    schedule::Plan plan =
        options().ranks || !found.clusters ? std::move(found.plan) : *std::move(found.clusters);
    if (!options().ranks && is_by_trees(kind()) && grid_.size() == job_.places.size())
        for (std::size_t i = 0; i < plan.schedule.nodes.size(); ++i)
            plan.schedule.nodes[i] = grid_.clusters[i].name;
    // The grid that was planned on is the same network but for roundings.
    if (network().grid() == nullptr)
        plan.timeline = simulate::simulate(plan.schedule, *simulate::make_fabric(network()));
    plan.schedule.network = network::fingerprint(network());
    return plan;
}

}  // namespace espalier::frontend
