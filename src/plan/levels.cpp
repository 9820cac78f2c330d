#include "plan/levels.hpp"

#include "core/error.hpp"
#include "plan/composed/lanes.hpp"
#include "plan/local/tree.hpp"
#include "plan/overhead.hpp"
#include "plan/race.hpp"
#include "schedule/level_by_level.hpp"
#include "schedule/mirror.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::plan {

namespace {

using schedule::LocalPart;
using schedule::Schedule;

const local::Strategy& strategy_of(const Algorithm& algorithm) {
    return std::get<local::Strategy>(algorithm.make);
}

}  // namespace

const network::PLogP& link_between(const Site& site, std::size_t from, std::size_t to) {
    const auto& link = site.grid->links(site.index[from], site.index[to]);
    if (!link)
        throw InputError(fmt::format("the cost from '{}' to '{}' is not known",
                                     site.members[from].name, site.members[to].name));
    return *link;
}

std::size_t most_segments(std::size_t edges, std::uint64_t steps_a_message) {
    const std::uint64_t steps = steps_a_message * std::max<std::size_t>(edges, 1);
    return std::max<std::size_t>(standard_budget(edges + 1).most_steps() / steps, 1);
}

LevelPlanner::LevelPlanner(const Job& job, const Request& request, Seconds overhead, Meter& meter,
                           const Algorithm* local)
    : job_(job), request_(request), overhead_(overhead), meter_(meter), local_(local) {}

Schedule LevelPlanner::whole(const Site& site, const Order& order) {
    grid::Problem clusters = problem(site, 1);
    std::vector<Part> parts;
    for (std::size_t m = 0; m < site.members.size(); ++m) {
        auto part = whole_part(site.members[m]);
        if (!part) continue;
        part->node = m;
        clusters.inner[m] = part->duration.value;
        parts.push_back(std::move(*part));
    }
    return between(site, arranged(clusters, order(clusters)), std::move(parts), 1);
}

Schedule LevelPlanner::pipelined(const Site& site, const Order& order, const Algorithm& local,
                                 std::size_t segments) {
    grid::Problem clusters = problem(site, segments);
    const Bytes segment = schedule::segment_bytes(request_.bytes, segments, 0);
    std::vector<Part> parts;
    for (std::size_t m = 0; m < site.members.size(); ++m) {
        const Site& member = site.members[m];
        // What is known by its time alone begins when it has the whole message.
        auto part =
            member.is_known() ? pipelined_part(member, order, local, segments) : whole_part(member);
        if (!part) continue;
        part->node = m;
        if (member.link != nullptr) {
            // The time of one segment, and what it costs the coordinator.
            const local::Problem inside{member.members.size(), *member.link, segment};
            clusters.inner[m] = strategy_of(local).formula(inside, 1).value;
            const auto& transfers = part->schedule->transfers;
            const auto sends =
                std::count_if(transfers.begin(), transfers.end(), [&](const auto& transfer) {
                    return transfer.from == part->schedule->collective.root;
                });
            clusters.load[m] = static_cast<double>(sends) * member.link->gap(segment).value;
        } else {
            clusters.inner[m] = part->duration.value;
        }
        parts.push_back(std::move(*part));
    }
    return between(site, arranged(clusters, order(clusters)), std::move(parts), segments);
}

/// On several ports what starts first need not end first, and what is read backwards starts with
/// what ended last.
grid::Order LevelPlanner::arranged(const grid::Problem& problem, const grid::Order& order) const {
    return reversed() && problem.ports > 1 ? grid::by_end_of_sending(problem, order) : order;
}

/// Costs at the size of one segment.
grid::Problem LevelPlanner::problem(const Site& site, std::size_t segments) const {
    const std::size_t size = site.members.size();
    const Bytes segment = schedule::segment_bytes(request_.bytes, segments, 0);
    grid::Problem problem;
    problem.root = site.coordinating_member(request_.root);
    problem.segments = segments;
    problem.ports = *request_.ports;
    problem.gap = Matrix<double>(size, size, 0);
    problem.latency = Matrix<double>(size, size, 0);
    problem.inner.assign(size, 0);
    problem.load.assign(size, 0);
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            const network::PLogP& link =
                reversed() ? link_between(site, j, i) : link_between(site, i, j);
            problem.gap(i, j) = link.gap(segment).value;
            problem.latency(i, j) = link.latency(segment).value;
        }
    return problem;
}

Schedule LevelPlanner::between(const Site& site, const grid::Order& order, std::vector<Part> parts,
                               std::size_t segments) const {
    Schedule schedule;
    schedule.collective = {schedule::Kind::broadcast, site.members.size(),
                           site.coordinating_member(request_.root), request_.bytes, false};
    for (const Site& member : site.members) schedule.nodes.push_back(member.name);
    schedule.chunks.push_back({request_.bytes, segments, {}, {}, false});
    for (const grid::Send& send : order) {
        schedule::Transfer transfer;
        transfer.from = send.from;
        transfer.to = send.to;
        schedule.transfers.push_back(transfer);
    }
    schedule.local = std::move(parts);
    schedule.ports.count = *request_.ports;
    return schedule;
}

std::optional<LocalPart> LevelPlanner::whole_part(const Site& site) {
    if (site.known_broadcast) return Part{0, "known", nullptr, *site.known_broadcast, 1};
    if (site.members.empty()) return std::nullopt;
    std::vector<std::size_t> shape{site.coordinating_member(request_.root)};
    for (const Site& member : site.members) shape.push_back(member.ranks().size());
    if (site.grid != nullptr) {
        const auto found = chosen_order_.find(&site);
        if (found != chosen_order_.end()) return found->second;
        return chosen_order_.emplace(&site, best_order(site)).first->second;
    }
    const auto [found, is_new] = chosen_.try_emplace({site.link, shape});
    if (is_new) found->second = best_strategy(site);
    return found->second;
}

LocalPart LevelPlanner::best_strategy(const Site& site) {
    const local::Problem inside{site.members.size(), *site.link, request_.bytes};
    const std::size_t most = std::clamp<std::size_t>(
        request_.bytes.value / least_segment_bytes, 1,
        reversed() ? tree_search.spelled_out
                   : most_segments(site.members.size() - 1, steps_a_queued_message));
    std::optional<Part> best;
    for (const Algorithm& candidate : algorithms()) {
        if (candidate.family != Family::local || !serves(candidate, request_.kind) ||
            (local_ != nullptr && local_ != &candidate))
            continue;
        const auto& strategy = strategy_of(candidate);
        std::size_t segments = 1;
        if (strategy.segmented)
            segments = local::best_segments(most, [&](std::size_t k) {
                return strategy.formula(inside, k) + overhead_ * static_cast<double>(k);
            });
        segments = local::usable_segments(request_.bytes, segments);
        Schedule schedule = strategy_schedule(site, candidate, segments);
        for (std::size_t m = 0; m < site.members.size(); ++m)
            if (auto part = whole_part(site.members[m])) {
                part->node = m;
                schedule.local.push_back(std::move(*part));
            }
        const Seconds time = estimate(site, schedule) + overhead_ * static_cast<double>(segments);
        if (best && best->duration <= time) continue;
        best = Part{0, std::string(candidate.name),
                    std::make_shared<const Schedule>(std::move(schedule)), time, segments};
    }
    best->duration =
        simulated(site, schedule::expand(as_asked(*best->schedule), site.group().members));
    return std::move(*best);
}

LocalPart LevelPlanner::best_order(const Site& site) {
    std::optional<Part> best;
    for (const Algorithm& candidate : algorithms()) {
        if (!serves(candidate, request_.kind) || !candidate.by_default) continue;
        Order order;
        if (const auto* rule = std::get_if<grid::Rule>(&candidate.make))
            order = *rule;
        else if (const auto* searcher = std::get_if<grid::Searcher>(&candidate.make);
                 searcher != nullptr)
            order = [this, searcher](const grid::Problem& problem) {
                return meter_.lend(tree_search.part_of_a_search,
                                   [&](Meter& own) { return (*searcher)(problem, own).order; });
            };
        else
            continue;
        Schedule schedule = whole(site, order);
        const Seconds time = time_members(site, as_asked(schedule)).makespan;
        if (best && best->duration <= time) continue;
        best = Part{0, std::string(candidate.name),
                    std::make_shared<const Schedule>(std::move(schedule)), time, 1};
    }
    return std::move(*best);
}

std::optional<LocalPart> LevelPlanner::pipelined_part(const Site& site, const Order& order,
                                                      const Algorithm& local,
                                                      std::size_t segments) {
    if (site.members.empty()) return std::nullopt;
    Schedule schedule = site.grid != nullptr ? pipelined(site, order, local, segments)
                                             : strategy_schedule(site, local, segments);
    if (site.grid == nullptr)
        for (std::size_t m = 0; m < site.members.size(); ++m)
            if (auto part = pipelined_part(site.members[m], order, local, segments)) {
                part->node = m;
                schedule.local.push_back(std::move(*part));
            }
    const std::string name = site.grid != nullptr ? "nested" : std::string(local.name);
    return Part{0, name, std::make_shared<const Schedule>(std::move(schedule)), Seconds(0),
                segments};
}

Schedule LevelPlanner::strategy_schedule(const Site& site, const Algorithm& local,
                                         std::size_t segments) const {
    Schedule schedule = strategy_of(local).make({site.members.size(), *site.link, request_.bytes},
                                                site.coordinating_member(request_.root), segments);
    for (std::size_t m = 0; m < site.members.size(); ++m) schedule.nodes[m] = site.members[m].name;
    schedule.ports.count = *request_.ports;
    return schedule;
}

bool LevelPlanner::reversed() const { return request_.kind == schedule::Kind::reduce; }

Schedule LevelPlanner::as_asked(const Schedule& broadcast) const {
    return reversed() ? schedule::level_by_level(schedule::mirror(broadcast)) : broadcast;
}

Seconds LevelPlanner::estimate(const Site& site, const Schedule& broadcast) {
    const Schedule ranks = schedule::expand(broadcast, site.group().members);
    const std::size_t segments = ranks.chunks.front().segments;
    const bool cut_alike = ranks.chunks.size() == 1 && segments > 1 &&
                           std::ranges::none_of(ranks.transfers, [](const auto& transfer) {
                               return transfer.segments.has_value();
                           });
    if (!cut_alike)
        return simulated(site, schedule::expand(as_asked(broadcast), site.group().members));
    composed::Tree tree(ranks.nodes.size(), ranks.collective.root);
    for (const auto& transfer : ranks.transfers) tree.add(transfer.from, transfer.to);
    composed::Lane lane;
    (reversed() ? lane.up : lane.down) = std::move(tree);
    meter_.spend(composed::steps_a_look * ranks.transfers.size());
    const Bytes segment = schedule::segment_bytes(ranks.chunks.front().bytes, segments, 0);
    return Seconds(
        composed::estimate(fabric_of(site), *request_.ports, {std::move(lane)}, segment, segments));
}

schedule::Timeline LevelPlanner::time_members(const Site& site, const Schedule& schedule) const {
    std::vector<network::GridView::Place> places;
    for (const Site& member : site.members) {
        const auto ranks = member.ranks();
        const bool holds_root = std::find(ranks.begin(), ranks.end(), request_.root) != ranks.end();
        places.push_back(job_.places[holds_root ? request_.root : ranks.front()]);
    }
    return simulate::simulate(schedule, *simulate::make_rank_fabric(*job_.view, std::move(places)));
}

const simulate::Fabric& LevelPlanner::fabric_of(const Site& site) {
    auto& fabric = fabrics_[&site];
    if (!fabric) {
        std::vector<network::GridView::Place> places;
        for (const std::size_t rank : site.ranks()) places.push_back(job_.places[rank]);
        fabric = simulate::make_rank_fabric(*job_.view, std::move(places));
    }
    return *fabric;
}

Seconds LevelPlanner::simulated(const Site& site, const Schedule& ranks) {
    const simulate::Fabric& fabric = fabric_of(site);
    std::size_t messages = 0;
    for (const auto& transfer : ranks.transfers) messages += ranks.segments_of(transfer);
    const std::size_t sharers = fabric.capacities().empty() ? 0 : ranks.transfers.size();
    meter_.spend(steps_of_simulating(messages, static_cast<double>(sharers)));
    return simulate::simulate(ranks, fabric).makespan;
}

}  // namespace espalier::plan
