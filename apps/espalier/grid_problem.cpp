#include "grid_problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "network/convert.hpp"
#include "network/json.hpp"
#include "result.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::cli {

namespace {

using network::Cluster;
using network::GridNetwork;

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

/// The ranks of each top-level cluster, as the picture sets them apart.
std::vector<report::LaneGroup> lane_groups(const network::GridView& view) {
    std::vector<report::LaneGroup> groups;
    for (const Cluster& cluster : view.grid().clusters)
        groups.push_back({cluster.name, cluster.size});
    return groups;
}

class GridAnswer final : public Answer {
public:
    GridAnswer(schedule::Plan plan, std::vector<report::LaneGroup> groups)
        : plan_(std::move(plan)), groups_(std::move(groups)) {}

    [[nodiscard]] report::Headline headline() const override { return report::headline_of(plan_); }
    [[nodiscard]] std::size_t segments() const override {
        std::size_t most = 1;
        for (const auto& chunk : plan_.schedule.chunks) most = std::max(most, chunk.segments);
        return most;
    }
    [[nodiscard]] std::string tables() const override {
        std::string text;
        if (!plan_.schedule.transfers.empty()) text += "\n" + transfer_table(plan_, "");
        if (!plan_.schedule.local.empty()) text += "\n" + local_table();
        return text;
    }
    [[nodiscard]] const schedule::Plan& plan() const override { return plan_; }
    [[nodiscard]] report::TimelineOptions look() const override {
        report::TimelineOptions look;
        look.groups = groups_;
        return look;
    }

private:
    [[nodiscard]] std::string local_table() const {
        using enum Table::Align;
        Table table({{"inside"}, {"strategy"}, {"start", right}, {"end", right}});
        const auto& parts = plan_.schedule.local;
        for (std::size_t p = 0; p < std::min(parts.size(), readable_rows); ++p)
            table.add({plan_.schedule.nodes[parts[p].node],
                       parts[p].strategy.empty() ? "-" : parts[p].strategy,
                       format_seconds(plan_.timeline.local[p].start),
                       format_seconds(plan_.timeline.local[p].end)});
        return table.text() + more_rows(parts.size());
    }

    schedule::Plan plan_;
    std::vector<report::LaneGroup> groups_;
};

}  // namespace

GridProblem::GridProblem(Setting setting)
    : PlanningProblem(std::move(setting)),
      grid_(as_grid(network())),
      view_(grid_),
      job_(plan::Job::everywhere(view_)) {
    if (!options().without.empty())
        throw InputError("--without", "", "only paper-search has techniques to do without");
    request_.root = read_root();
    request_.bytes = read_bytes();
    request_.local = options().local.empty() ? "auto" : options().local;
    request_.kind = kind();
    request_.ports = ports();
    request_.limits = limits();
    require_local();
    (void)segmenting("auto");
}

std::size_t GridProblem::read_root() const {
    if (options().root.empty()) return 0;
    const auto cluster = std::ranges::find(grid_.clusters, options().root, &Cluster::name);
    if (cluster != grid_.clusters.end()) {
        const auto index = static_cast<std::size_t>(cluster - grid_.clusters.begin());
        const auto leaf = std::ranges::find_if(
            view_.leaves(), [&](const auto& candidate) { return candidate.path.front() == index; });
        return leaf->first_node;
    }
    const auto place = view_.find(options().root);
    if (!place)
        throw InputError(
            "--root", "",
            fmt::format("{} has no cluster or node named '{}'", options().network, options().root));
    return view_.leaves()[place->leaf].first_node + place->node;
}

Bytes GridProblem::read_bytes() const {
    if (options().bytes.empty()) {
        if (depends_on_size(grid_))
            throw InputError(
                "--bytes", "",
                fmt::format("needed: costs of {} depend on the message size", options().network));
        return Bytes(1);
    }
    return parse_bytes(options().bytes, "--bytes");
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
    if (options().segment == "none") return {};
    if (options().segment == "auto") return {Mode::automatic, {}};
    if (!options().segment.empty()) {
        const Bytes bytes = parse_bytes(options().segment, "--segment");
        if (bytes.value == 0) throw InputError("--segment", "", "a segment has at least one byte");
        return {Mode::fixed, bytes};
    }
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

std::unique_ptr<Answer> GridProblem::plan(const std::string& algorithm) const {
    plan::JobRequest request = request_;
    request.algorithm = algorithm;
    request.segmenting = segmenting(algorithm);
    try {
        plan::JobPlan both = plan_job(job_, request);
        if (options().ranks && !both.ranks)
            throw InputError(
                "broadcast_s", "",
                "--ranks needs to know the inside of every cluster, not only its time");
        schedule::Plan& plan = options().ranks ? *both.ranks : both.clusters;
        plan.schedule.network = network::fingerprint(network());
        return std::make_unique<GridAnswer>(
            std::move(plan),
            options().ranks ? lane_groups(view_) : std::vector<report::LaneGroup>());
    } catch (const InputError& error) {
        // The planner knows the network, but not the file it came from.
        throw InputError(options().network, "", error.what());
    }
}

}  // namespace espalier::cli
