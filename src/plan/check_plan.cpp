#include "plan/check_plan.hpp"

#include "core/error.hpp"
#include "network/convert.hpp"
#include "network/grid_view.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_bound.hpp"
#include "plan/job.hpp"
#include "plan/scenarios.hpp"
#include "plan/site.hpp"
#include "schedule/level_by_level.hpp"
#include "schedule/mirror.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/renumbered.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace espalier::plan {

namespace {

using network::GridView;
using schedule::LocalPart;
using schedule::Schedule;
using schedule::StatedPlan;
using simulate::Check;
using simulate::clearly_less;

/// A broadcast or a reduction between clusters that stand in another order than the network's.
Schedule renumbered(const Schedule& schedule, const std::vector<std::size_t>& index,
                    const std::vector<std::string>& names) {
    Schedule result = schedule;
    result.nodes = names;
    result.collective.nodes = names.size();
    result.collective.root = index[schedule.collective.root];
    for (auto& chunk : result.chunks) {
        if (chunk.source) chunk.source = index[*chunk.source];
        if (chunk.target) chunk.target = index[*chunk.target];
    }
    for (auto& transfer : result.transfers) {
        transfer.from = index[transfer.from];
        transfer.to = index[transfer.to];
    }
    if (result.critical) result.critical = index[*result.critical];
    for (auto& part : result.local) part.node = index[part.node];
    return result;
}

/// The number in the network of each of the schedule's nodes; nullopt if a node does not appear.
std::optional<std::vector<std::size_t>> match(const Schedule& schedule,
                                              const std::vector<std::string>& names) {
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
    std::vector<std::size_t> found;
    for (const auto& name : schedule.nodes) {
        const auto it = index.find(name);
        if (it == index.end()) return std::nullopt;
        found.push_back(it->second);
    }
    if (found.size() != names.size()) return std::nullopt;
    return found;
}

std::string unserved(const network::Cluster& cluster) {
    return fmt::format("node '{}' has {} nodes inside that nobody serves", cluster.name,
                       cluster.size);
}

class ClusterCheck {
public:
    ClusterCheck(const StatedPlan& stated, const network::GridNetwork& grid)
        : stated_(stated), schedule_(stated.plan.schedule), grid_(grid), view_(grid) {}

    /// Why the local parts do not do their job; fills the timeline between ranks where they can be
    /// built again.
    std::optional<std::string> run(schedule::Timeline& timeline) {
        std::vector<LocalPart> rebuilt;
        bool complete = true;
        for (std::size_t c = 0; c < grid_.size(); ++c) {
            const auto& cluster = grid_.clusters[c];
            const auto* known = std::get_if<network::Cluster::KnownBroadcast>(&cluster.inside);
            const auto part = std::find_if(schedule_.local.begin(), schedule_.local.end(),
                                           [&](const LocalPart& p) { return p.node == c; });
            if (cluster.size == 1 && (known == nullptr || known->time.value == 0)) continue;
            if (part == schedule_.local.end()) return unserved(cluster);
            if ((part->phase == LocalPart::Phase::before) != is_reduction())
                return fmt::format("the local part of '{}' comes {} its transfers", cluster.name,
                                   is_reduction() ? "after" : "before");
            if (known != nullptr) {
                if (auto fault = find_overlap(c, *part)) return fault;
                if (auto fault = find_short_part(c, *part, known->time)) return fault;
                complete = false;
                continue;
            }
            const Algorithm* strategy = find_algorithm(Family::local, part->strategy);
            if (strategy == nullptr || cluster.local() == nullptr || !serves(*strategy, kind())) {
                if (auto fault = find_short_part(c, *part, bound_inside(c))) return fault;
                complete = false;
                continue;
            }
            Schedule inside =
                std::get<local::Strategy>(strategy->make)
                    .make({cluster.size, *cluster.local(), schedule_.collective.bytes}, 0,
                          part->segments);
            LocalPart again = *part;
            again.schedule = std::make_shared<const Schedule>(
                is_reduction() ? schedule::mirror(inside) : std::move(inside));
            rebuilt.push_back(std::move(again));
        }
        return complete ? against_ranks(std::move(rebuilt), timeline) : std::nullopt;
    }
    /// The schedule between ranks, where the local parts could be built again.
    [[nodiscard]] const std::optional<Schedule>& ranks() const { return ranks_; }

private:
    [[nodiscard]] schedule::Kind kind() const { return schedule_.collective.kind; }
    [[nodiscard]] bool is_reduction() const { return kind() == schedule::Kind::reduce; }

    [[nodiscard]] std::optional<std::string> find_short_part(std::size_t c, const LocalPart& part,
                                                             Seconds least) const {
        const auto& span = stated_.plan.timeline.local[index_of(part)];
        if (!clearly_less(span.end.value, (span.start + least).value)) return std::nullopt;
        return fmt::format("the local part of '{}' takes {} s, and can't take less than {} s",
                           grid_.clusters[c].name, part.duration.value, least.value);
    }

    /// A broadcast or a reduction of which only its time is known needs its coordinator from
    /// beginning to end.
    [[nodiscard]] std::optional<std::string> find_overlap(std::size_t c,
                                                          const LocalPart& part) const {
        const auto& span = stated_.plan.timeline.local[index_of(part)];
        for (std::size_t t = 0; t < stated_.plan.timeline.transfers.size(); ++t) {
            const auto& transfer = schedule_.transfers[t];
            if (transfer.from != c && transfer.to != c) continue;
            const auto& stated = stated_.plan.timeline.transfers[t];
            const Seconds latency =
                grid_.links(transfer.from, transfer.to)->latency(schedule_.bytes_of(transfer));
            const bool receives = transfer.to == c;
            const double busy_from = (receives ? stated.start + latency : stated.start).value;
            const double busy_until = (receives ? stated.end : stated.end - latency).value;
            if (is_reduction() ? clearly_less(busy_from, span.end.value)
                               : clearly_less(span.start.value, busy_until))
                return fmt::format(
                    "the local part of '{}' is stated from {} s to {} s, and transfer {} needs its "
                    "coordinator from {} s to {} s",
                    grid_.clusters[c].name, span.start.value, span.end.value, t, busy_from,
                    busy_until);
        }
        return std::nullopt;
    }

    /// A lower bound on spreading the message inside a cluster, from any of its nodes. If the
    /// cluster is a grid, one node of each leaf has to have it.
    [[nodiscard]] Seconds bound_inside(std::size_t c) const {
        if (const auto* local = grid_.clusters[c].local()) {
            const auto floor = simulate::floor_of(*local, schedule_.collective.bytes);
            return Seconds(floor.latency.value +
                           floor.seconds_per_byte *
                               static_cast<double>(schedule_.collective.bytes.value) /
                               static_cast<double>(schedule_.ports.count));
        }
        std::vector<GridView::Place> places;
        std::vector<Seconds> inner;
        for (std::size_t leaf = 0; leaf < view_.leaves().size(); ++leaf) {
            if (view_.leaves()[leaf].path.front() != c) continue;
            const auto* known = std::get_if<network::Cluster::KnownBroadcast>(
                &view_.leaves()[leaf].cluster->inside);
            places.push_back({leaf, 0});
            inner.push_back(known == nullptr ? Seconds(0) : known->time);
        }
        const auto fabric = simulate::make_rank_fabric(view_, places);
        std::optional<Seconds> least;
        for (std::size_t root = 0; root < places.size(); ++root) {
            const Seconds bound =
                collective_bound(*fabric, {kind(), places.size(), root, schedule_.collective.bytes},
                                 schedule_.ports.count, inner);
            least = least ? std::min(*least, bound) : bound;
        }
        return least.value_or(Seconds(0));
    }

    [[nodiscard]] std::size_t index_of(const LocalPart& part) const {
        return static_cast<std::size_t>(&part - schedule_.local.data());
    }

    std::optional<std::string> against_ranks(std::vector<LocalPart> rebuilt,
                                             schedule::Timeline& timeline) {
        Schedule whole = schedule_;
        whole.local = std::move(rebuilt);
        if (is_reduction()) whole = schedule::level_by_level(std::move(whole));
        std::vector<schedule::Group> groups;
        std::vector<GridView::Place> places;
        for (std::size_t node = 0; node < view_.nodes(); ++node)
            places.push_back(view_.place_of(node));
        for (const auto& cluster : grid_.clusters) {
            schedule::Group group{cluster.name, {}};
            for (std::size_t n = 0; cluster.size > 1 && n < cluster.size; ++n)
                group.members.push_back({cluster.node_name(n), {}});
            groups.push_back(std::move(group));
        }
        const Schedule& ranks = ranks_.emplace(schedule::expand(whole, groups));
        const auto fabric = simulate::make_rank_fabric(view_, std::move(places));
        timeline = simulate::simulate(ranks, *fabric);
        const double stated = stated_.plan.timeline.makespan.value;
        if (stated_.has_makespan && clearly_less(stated, timeline.makespan.value))
            return fmt::format("the makespan is stated as {} s, and between ranks it is {} s",
                               stated, timeline.makespan.value);
        if (!stated_.has_times || simulate::can_be_short(ranks, *fabric)) return std::nullopt;
        return find_too_soon(ranks, timeline);
    }

    /// Finds a transfer that starts earlier than the order allows: where messages only queue, the
    /// simulator starts each as early as possible.
    [[nodiscard]] std::optional<std::string> find_too_soon(
        const Schedule& ranks, const schedule::Timeline& timeline) const {
        const auto& stated = stated_.plan.timeline;
        const auto too_soon = [](const auto& claimed, const auto& soonest) {
            return clearly_less(claimed.start.value, soonest.start.value) ||
                   clearly_less(claimed.end.value, soonest.end.value);
        };
        // The coordinators' transfers come first in a broadcast and last in a reduction.
        const std::size_t inner = ranks.transfers.size() - stated.transfers.size();
        const std::size_t outer_begin = is_reduction() ? inner : 0;
        for (std::size_t t = 0; t < stated.transfers.size(); ++t) {
            const auto& soonest = timeline.transfers[outer_begin + t];
            if (too_soon(stated.transfers[t], soonest))
                return fmt::format(
                    "transfer {} is stated as {} s to {} s, and between ranks it "
                    "can't be before {} s to {} s",
                    t, stated.transfers[t].start.value, stated.transfers[t].end.value,
                    soonest.start.value, soonest.end.value);
        }
        std::vector<std::optional<schedule::Timeline::Span>> spans(grid_.size());
        const std::size_t inner_begin = is_reduction() ? 0 : stated.transfers.size();
        for (std::size_t t = inner_begin; t < inner_begin + inner; ++t) {
            const auto leaf = view_.place_of(ranks.transfers[t].from).leaf;
            auto& span = spans[view_.leaves()[leaf].path.front()];
            const auto& times = timeline.transfers[t];
            if (!span) span = {times.start, times.end};
            span = {std::min(span->start, times.start), std::max(span->end, times.end)};
        }
        for (std::size_t p = 0; p < schedule_.local.size(); ++p)
            if (const auto& span = spans[schedule_.local[p].node];
                span && too_soon(stated.local[p], *span))
                return fmt::format(
                    "the local part of '{}' is stated as {} s to {} s, and can't be "
                    "before {} s to {} s",
                    grid_.clusters[schedule_.local[p].node].name, stated.local[p].start.value,
                    stated.local[p].end.value, span->start.value, span->end.value);
        return std::nullopt;
    }

    const StatedPlan& stated_;
    const Schedule& schedule_;
    const network::GridNetwork& grid_;
    GridView view_;
    std::optional<Schedule> ranks_;
};

/// Computes the stated percentile of the makespan anew and compares, where the plan is valid so
/// far.
void check_robust(const StatedPlan& stated, const Schedule& schedule, const Job& job,
                  Check& result) {
    const auto& claim = stated.plan.robust;
    if (!claim || result.violation) return;
    const Seconds time = *Scenarios(job, claim->percentile).makespan(schedule).time;
    result.robust = time;
    if (clearly_less(claim->makespan.value, time.value))
        result.violation = fmt::format("the p{} of the makespan is stated as {} s, and it is {} s",
                                       claim->percentile, claim->makespan.value, time.value);
    else if (clearly_less(time.value, claim->lower_bound.value))
        result.violation = fmt::format(
            "the lower bound of the p{} of the makespan is stated as {} s, and the schedule's is "
            "{} s",
            claim->percentile, claim->lower_bound.value, time.value);
}

/// Of a network each node of which is a cluster of one.
void check_robust(const StatedPlan& stated, const network::GridNetwork& grid,
                  const std::vector<std::size_t>& index, Check& result) {
    const GridView view(grid);
    Job job{&view, {}};
    for (const std::size_t node : index) job.places.push_back(view.place_of(node));
    check_robust(stated, stated.plan.schedule, job, result);
}

Check check_ranks(const StatedPlan& stated, const GridView& view, const std::string& source) {
    std::vector<std::string> names;
    for (std::size_t node = 0; node < view.nodes(); ++node)
        names.push_back(view.name_of(view.place_of(node)));
    const auto index = match(stated.plan.schedule, names);
    if (!index)
        throw InputError(source, "nodes", "they are neither the network's clusters nor its nodes");
    Job job{&view, {}};
    for (const std::size_t node : *index) job.places.push_back(view.place_of(node));
    Check result = simulate::check(stated, *simulate::make_rank_fabric(view, job.places));
    check_robust(stated, stated.plan.schedule, job, result);
    return result;
}

/// Whether schedules of this kind have local parts; other collectives are planned between all nodes
/// at once.
bool has_local_parts(schedule::Kind kind) {
    return kind == schedule::Kind::broadcast || kind == schedule::Kind::reduce;
}

/// Why a schedule between clusters is not a plan for the nodes inside them; nullopt if it is one.
std::optional<std::string> find_inside(const Schedule& schedule, const network::GridNetwork& grid) {
    if (!schedule.local.empty())
        return fmt::format("only broadcast and reduce have local parts, not {}",
                           name_of(schedule.collective.kind));
    for (const auto& cluster : grid.clusters)
        if (cluster.size > 1) return unserved(cluster);
    return std::nullopt;
}

Check check_grid(const StatedPlan& stated, const network::GridNetwork& grid,
                 const std::string& source) {
    std::vector<std::string> names;
    for (const auto& cluster : grid.clusters) names.push_back(cluster.name);
    const auto index = match(stated.plan.schedule, names);
    if (!index) return check_ranks(stated, GridView(grid), source);
    const network::Network top{grid};
    const auto fabric = simulate::make_fabric(top);
    Check result = simulate::check(stated, *simulate::renumbered(*fabric, *index));
    if (result.violation) return result;
    if (!has_local_parts(stated.plan.schedule.collective.kind)) {
        result.violation = find_inside(stated.plan.schedule, grid);
        check_robust(stated, grid, *index, result);
        return result;
    }
    StatedPlan matched = stated;
    matched.plan.schedule = renumbered(stated.plan.schedule, *index, names);
    ClusterCheck inside(matched, grid);
    result.violation = inside.run(result.timeline);
    const GridView view(grid);
    const Job job = Job::everywhere(view);
    if (inside.ranks())
        check_robust(stated, *inside.ranks(), job, result);
    else if (!site_of(job).is_known())
        check_robust(stated, matched.plan.schedule, job, result);
    return result;
}

}  // namespace

Check check_plan(const StatedPlan& stated, const network::Network& network,
                 const std::string& source) {
    if (const auto* grid = network.grid()) return check_grid(stated, *grid, source);
    // The grid planners take a pairwise network as clusters of one.
    std::vector<std::string> names;
    for (std::size_t i = 0; i < network::size(network); ++i)
        names.push_back(network::node_name(network, i));
    const auto index = match(stated.plan.schedule, names);
    if (!index) throw InputError(source, "nodes", "they are not the network's nodes");
    const auto fabric = simulate::make_fabric(network);
    Check result = simulate::check(stated, *simulate::renumbered(*fabric, *index));
    if (const auto* pairwise = network.pairwise())
        check_robust(stated, to_grid(*pairwise), *index, result);
    else if (const auto* links = network.links())
        check_robust(stated, to_grid(*links), *index, result);
    else if (stated.plan.robust)
        throw InputError(source, "robust", "costs of a sender network have no spread");
    return result;
}

}  // namespace espalier::plan
