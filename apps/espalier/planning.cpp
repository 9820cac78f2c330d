#include "planning.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "network/convert.hpp"
#include "network/json.hpp"
#include "result.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace espalier::cli {

namespace {

using network::Cluster;
using network::GridNetwork;

schedule::Kind read_kind(const std::string& collective) {
    const auto kind = schedule::find_kind(collective);
    if (!kind) throw InputError(collective, "", "is not a collective operation");
    const bool planned = std::ranges::any_of(plan::algorithms(), [&](const auto& algorithm) {
        return std::ranges::count(algorithm.collectives, *kind) > 0;
    });
    if (!planned) throw InputError(collective, "", "no algorithm here plans this collective");
    return *kind;
}

/// Those that work between clusters; on a network of one cluster, those that work inside it.
std::vector<const plan::Algorithm*> applicable(const network::Network& network, schedule::Kind kind,
                                               const std::string& source) {
    std::vector<const plan::Algorithm*> inside;
    std::vector<const plan::Algorithm*> others;
    std::set<std::string> models;
    for (const plan::Algorithm& algorithm : plan::algorithms()) {
        if (algorithm.family == plan::Family::sender) continue;
        if (std::ranges::count(algorithm.collectives, kind) == 0) continue;
        models.insert(algorithm.models.begin(), algorithm.models.end());
        if (std::ranges::count(algorithm.models, network.model_name()) == 0) continue;
        (algorithm.family == plan::Family::local ? inside : others).push_back(&algorithm);
    }
    if (size(network) == 1 && !inside.empty()) return inside;
    if (others.empty())
        throw InputError(source, "model",
                         fmt::format("no algorithm plans a {} on a {} network; on {} there are",
                                     name_of(kind), network.model_name(),
                                     listed({models.begin(), models.end()}, models.size())));
    return others;
}

GridNetwork as_grid(const network::Network& network) {
    if (const auto* pairwise = network.pairwise()) return to_grid(*pairwise);
    return *network.grid();
}

bool depends_on_size(const network::PLogP& link) {
    return !link.latency.is_constant() || !link.gap.is_constant();
}

bool depends_on_size(const GridNetwork& grid) {
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const Cluster& cluster = grid.clusters[i];
        if (const auto* local = cluster.local(); local && depends_on_size(*local)) return true;
        if (const auto* inner = cluster.grid(); inner && depends_on_size(*inner)) return true;
        for (std::size_t j = 0; j < grid.size(); ++j)
            if (i != j && grid.links(i, j) && depends_on_size(*grid.links(i, j))) return true;
    }
    return !grid.shared.empty();
}

/// A cluster whose broadcast time is stated for any size; nullptr where there is none.
const Cluster* find_known_broadcast(const GridNetwork& grid) {
    for (const Cluster& cluster : grid.clusters) {
        if (std::holds_alternative<Cluster::KnownBroadcast>(cluster.inside)) return &cluster;
        if (const auto* inner = cluster.grid())
            if (const Cluster* found = find_known_broadcast(*inner)) return found;
    }
    return nullptr;
}

std::string names_of(const std::vector<const plan::Algorithm*>& algorithms) {
    std::vector<std::string> names{"auto"};
    for (const auto* algorithm : algorithms) names.emplace_back(algorithm->name);
    return listed(names, names.size());
}

}  // namespace

void add_problem_options(CLI::App& app, ProblemOptions& options) {
    app.add_option("COLLECTIVE", options.collective, "broadcast")->type_name("")->required();
    app.add_option("NETWORK", options.network, "a network file (JSON)")->type_name("")->required();
    app.add_option("--root", options.root,
                   "a cluster's or a node's name; a node stands for its cluster (the first one)")
        ->type_name("NAME");
    app.add_option("--bytes", options.bytes, "message size: 512, 64KiB, 4MB")->type_name("SIZE");
    app.add_option("--segment", options.segment,
                   "none, auto, or the size of a segment (auto for auto, else none)")
        ->type_name("none|auto|SIZE");
    app.add_option("--local", options.local, "algorithm inside clusters, or auto")
        ->type_name("NAME")
        ->capture_default_str();
}

BroadcastProblem::BroadcastProblem(const ProblemOptions& options)
    : options_(options),
      kind_(read_kind(options.collective)),
      network_(network::read_network(options.network)),
      algorithms_(applicable(network_, kind_, options.network)),
      grid_(as_grid(network_)),
      view_(grid_),
      job_(plan::Job::everywhere(view_)) {
    request_.root = read_root();
    request_.bytes = read_bytes();
    request_.local = options.local;
    require_local();
    (void)segmenting("auto");
}

std::size_t BroadcastProblem::read_root() const {
    if (options_.root.empty()) return 0;
    const auto cluster = std::ranges::find(grid_.clusters, options_.root, &Cluster::name);
    if (cluster != grid_.clusters.end()) {
        const auto index = static_cast<std::size_t>(cluster - grid_.clusters.begin());
        const auto leaf = std::ranges::find_if(
            view_.leaves(), [&](const auto& candidate) { return candidate.path.front() == index; });
        return leaf->first_node;
    }
    const auto place = view_.find(options_.root);
    if (!place)
        throw InputError(
            "--root", "",
            fmt::format("{} has no cluster or node named '{}'", options_.network, options_.root));
    return view_.leaves()[place->leaf].first_node + place->node;
}

Bytes BroadcastProblem::read_bytes() const {
    if (options_.bytes.empty()) {
        if (depends_on_size(grid_))
            throw InputError(
                "--bytes", "",
                fmt::format("needed: costs of {} depend on the message size", options_.network));
        return Bytes(1);
    }
    return parse_bytes(options_.bytes, "--bytes");
}

void BroadcastProblem::warn_of_assumptions() const {
    const Cluster* cluster = options_.bytes.empty() ? nullptr : find_known_broadcast(grid_);
    if (cluster != nullptr)
        warn(fmt::format(
            "{}: cluster '{}' states one broadcast_s for any size; --bytes does not change it",
            options_.network, cluster->name));
}

plan::Segmenting BroadcastProblem::segmenting(const std::string& algorithm) const {
    using Mode = plan::Segmenting::Mode;
    if (options_.segment == "none") return {};
    if (options_.segment == "auto") return {Mode::automatic, {}};
    if (!options_.segment.empty()) {
        const Bytes bytes = parse_bytes(options_.segment, "--segment");
        if (bytes.value == 0) throw InputError("--segment", "", "a segment has at least one byte");
        return {Mode::fixed, bytes};
    }
    if (algorithm == "auto") return {Mode::automatic, {}};
    const auto found = std::ranges::find(algorithms_, algorithm, &plan::Algorithm::name);
    const auto* strategy =
        found == algorithms_.end() ? nullptr : std::get_if<plan::local::Strategy>(&(*found)->make);
    return {strategy != nullptr && strategy->segmented ? Mode::automatic : Mode::none, {}};
}

void BroadcastProblem::require_local() const {
    if (options_.local == "auto" ||
        plan::find_algorithm(plan::Family::local, options_.local) != nullptr)
        return;
    std::vector<const plan::Algorithm*> known;
    for (const plan::Algorithm& algorithm : plan::algorithms())
        if (algorithm.family == plan::Family::local) known.push_back(&algorithm);
    throw InputError("--local", "",
                     fmt::format("'{}' is none of {}", options_.local, names_of(known)));
}

void BroadcastProblem::require_algorithm(const std::string& name) const {
    if (name != "auto" && std::ranges::count(algorithms_, name, &plan::Algorithm::name) == 0)
        throw InputError("--algorithm", "",
                         fmt::format("'{}' is none of {}", name, names_of(algorithms_)));
}

plan::JobPlan BroadcastProblem::plan(const std::string& algorithm) const {
    plan::JobRequest request = request_;
    request.algorithm = algorithm;
    request.segmenting = segmenting(algorithm);
    try {
        plan::JobPlan plan = plan_job(job_, request);
        const std::string fingerprint = network::fingerprint(network_);
        plan.clusters.schedule.network = fingerprint;
        if (plan.ranks) plan.ranks->schedule.network = fingerprint;
        return plan;
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options_.network, "", error.what());
    }
}

}  // namespace espalier::cli
