#include "plan/tree_candidates.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/local/tree.hpp"
#include "plan/overhead.hpp"
#include "plan/site.hpp"
#include "schedule/level_by_level.hpp"
#include "schedule/mirror.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace espalier::plan {

namespace {

using schedule::Kind;
using schedule::Plan;
using schedule::Schedule;
using schedule::Timeline;

}  // namespace

TreeCandidates::TreeCandidates(const Job& job, Request request, const Site& site, Seconds overhead,
                               const Limits& limits)
    : job_(job),
      request_(std::move(request)),
      site_(site),
      overhead_(overhead),
      meter_(limits),
      levels_(job, request_, overhead, meter_, chosen_local()) {}

std::vector<TreeCandidates::Draft> TreeCandidates::drafts() {
    std::vector<Draft> found;
    const auto orders = chosen_orders();
    const bool any = orders.size() > 1;
    if (request_.segmenting.mode != Segmenting::Mode::fixed)
        for (const Algorithm* order : orders) {
            if (!found.empty() && meter_.over()) return found;
            add(found, levels_.whole(site_, order_by(*order)), *order);
        }
    for (const std::size_t segments : promising_segment_counts(*orders.back()))
        for (const Algorithm* order : orders) {
            // What a search is for, the least time of one message, is not what matters here.
            if (any && std::holds_alternative<grid::Searcher>(order->make) &&
                request_.segmenting.mode == Segmenting::Mode::automatic)
                continue;
            for (const Algorithm* local : pipelining_strategies()) {
                if (!found.empty() && meter_.over()) return found;
                add(found, levels_.pipelined(site_, order_by(*order), *local, segments), *order);
            }
        }
    return found;
}

/// One cluster is planned by local strategies alone: a local name may stand for the algorithm.
bool TreeCandidates::local_name_given() const {
    return site_.members.size() == 1 &&
           find_algorithm(Family::local, request_.algorithm) != nullptr;
}

const Algorithm* TreeCandidates::chosen_local() const {
    const std::string& name = local_name_given() ? request_.algorithm : request_.local;
    if (name == "auto") return nullptr;
    const Algorithm* found = find_algorithm(Family::local, name);
    if (found == nullptr)
        throw InputError("local", "", fmt::format("no algorithm is named '{}'", name));
    if (!serves(*found, request_.kind))
        throw InputError("local", "",
                         fmt::format("'{}' is not for a {}", name, name_of(request_.kind)));
    return found;
}

std::vector<const Algorithm*> TreeCandidates::chosen_orders() const {
    std::vector<const Algorithm*> orders;
    const bool any = request_.algorithm == "auto" || local_name_given();
    for (const Algorithm& algorithm : algorithms())
        if ((std::holds_alternative<grid::Rule>(algorithm.make) ||
             std::holds_alternative<grid::Searcher>(algorithm.make)) &&
            serves(algorithm, request_.kind) &&
            (any ? algorithm.by_default : algorithm.name == request_.algorithm))
            orders.push_back(&algorithm);
    if (orders.empty())
        throw InputError("algorithm", "",
                         fmt::format("no {} algorithm on a grid is named '{}'",
                                     name_of(request_.kind), request_.algorithm));
    if (site_.members.size() == 1) orders.resize(1);  // there is nothing to order
    return orders;
}

std::vector<const Algorithm*> TreeCandidates::pipelining_strategies() const {
    if (const Algorithm* local = chosen_local()) return {local};
    std::vector<const Algorithm*> found;
    for (const Algorithm& algorithm : algorithms())
        if (const auto* strategy = std::get_if<local::Strategy>(&algorithm.make))
            if (strategy->segmented && serves(algorithm, request_.kind))
                found.push_back(&algorithm);
    return found;
}

/// Segment counts worth a look: of s = m / 2^i, and of s = 2^i, where measured costs have their
/// entries.
std::set<std::size_t> TreeCandidates::segment_counts() const {
    std::set<std::size_t> counts;
    const Bytes bytes = request_.bytes;
    const auto add_size = [&](std::uint64_t size) {
        const std::size_t count = (bytes.value + size - 1) / size;
        if (count > 1) counts.insert(local::usable_segments(bytes, count));
    };
    switch (request_.segmenting.mode) {
        case Segmenting::Mode::none:
        case Segmenting::Mode::usual:
            break;
        case Segmenting::Mode::fixed:
            counts.insert(1);
            add_size(std::max<std::uint64_t>(request_.segmenting.bytes.value, 1));
            if (counts.size() > 1) counts.erase(1);
            break;
        case Segmenting::Mode::automatic:
            for (std::uint64_t size = bytes.value; size >= least_segment_bytes; size /= 2)
                add_size(size);
            for (std::uint64_t size = least_segment_bytes; size < bytes.value; size *= 2)
                add_size(size);
            std::erase_if(counts,
                          [most = most_simulated()](std::size_t count) { return count > most; });
            break;
    }
    return counts;
}

std::size_t TreeCandidates::most_simulated() const {
    const bool sharing = *request_.ports > 1 || !job_.view->shared().empty();
    const std::size_t ranks = job_.places.size();
    return most_segments(ranks - 1,
                         steps_of_simulating(1, sharing ? static_cast<double>(ranks) : 0));
}

/// Different algorithms often order alike; each schedule is looked at once.
void TreeCandidates::add(std::vector<Draft>& drafts, Schedule schedule,
                         const Algorithm& algorithm) {
    // Where there is one cluster, what happens inside it is all there is.
    const bool inside_only = site_.members.size() == 1 && !schedule.local.empty();
    schedule.algorithm = inside_only ? schedule.local.front().strategy : algorithm.name;
    std::vector<std::size_t> signature{schedule.chunks.front().segments};
    for (const auto& transfer : schedule.transfers) {
        signature.push_back(transfer.from);
        signature.push_back(transfer.to);
    }
    std::string strategies;
    for (const auto& part : schedule.local)
        strategies += fmt::format("{}:{}/", part.strategy, part.segments);
    if (!seen_.emplace(std::move(signature), std::move(strategies)).second) return;
    const Seconds estimate = estimate_of(schedule);
    drafts.push_back({std::move(schedule), estimate});
}

Seconds TreeCandidates::estimate_of(const Schedule& schedule) {
    const std::size_t segments = schedule.chunks.front().segments;
    const Seconds time = site_.is_known()
                             ? levels_.estimate(site_, schedule)
                             : levels_.time_members(site_, levels_.as_asked(schedule)).makespan;
    return time + overhead_ * static_cast<double>(segments);
}

/// Orders between clusters, for each size of segments that is looked at.
LevelPlanner::Order TreeCandidates::order_by(const Algorithm& algorithm) {
    if (const auto* rule = std::get_if<grid::Rule>(&algorithm.make)) return *rule;
    const bool alone =
        request_.algorithm == algorithm.name && request_.segmenting.mode == Segmenting::Mode::none;
    return [this, search = std::get<grid::Searcher>(algorithm.make),
            part = alone ? 1 : tree_search.part_of_a_search](const grid::Problem& problem) {
        grid::Found found = meter_.lend(part, [&](Meter& own) { return search(problem, own); });
        if (problem.segments == 1) found_bound_ = std::max(found_bound_, found.lower_bound);
        return found.order;
    };
}

/// The segment counts that look best with one order and one strategy.
std::vector<std::size_t> TreeCandidates::promising_segment_counts(const Algorithm& order) {
    std::vector<std::pair<double, std::size_t>> counts;
    const Algorithm& local = *pipelining_strategies().back();
    for (const std::size_t segments : segment_counts()) {
        const Schedule schedule = levels_.pipelined(site_, order_by(order), local, segments);
        counts.emplace_back(estimate_of(schedule).value, segments);
    }
    std::sort(counts.begin(), counts.end());
    counts.resize(std::min(counts.size(), tree_search.segment_sizes));
    std::vector<std::size_t> best;
    for (const auto& [time, segments] : counts) best.push_back(segments);
    return best;
}

Ranked TreeCandidates::finish(const Schedule& broadcast) const {
    Schedule schedule = levels_.as_asked(broadcast);
    Ranked found;
    if (!site_.is_known()) {
        found.plan.timeline = levels_.time_members(site_, schedule);
        found.plan.schedule = std::move(schedule);
        return found;
    }
    Plan by_site;
    by_site.schedule = schedule::expand(schedule, site_.group().members);
    found.plan.schedule = in_job_order(by_site.schedule);
    found.plan.timeline = simulate::simulate(found.plan.schedule,
                                             *simulate::make_rank_fabric(*job_.view, job_.places));
    by_site.timeline = found.plan.timeline;
    const auto ranks = site_.ranks();
    for (std::size_t i = 0; i < ranks.size(); ++i)
        by_site.timeline.completion[i] = found.plan.timeline.completion[ranks[i]];
    Plan& clusters = found.clusters.emplace();
    clusters.timeline = seen_from_above(schedule, by_site);
    clusters.schedule = std::move(schedule);
    return found;
}

bool TreeCandidates::is_contended(const Schedule& broadcast, const simulate::Fabric& fabric) const {
    if (!site_.is_known()) return false;
    const Schedule ranks = schedule::expand(levels_.as_asked(broadcast), site_.group().members);
    return simulate::can_be_short(in_job_order(ranks), fabric);
}

/// The clusters' timeline as it is between the ranks: the coordinators' transfers are the first
/// ones of a broadcast and the last ones of a reduction, and a local part lasts from its first
/// send to its last arrival.
Timeline TreeCandidates::seen_from_above(Schedule& schedule, const Plan& ranks) const {
    Timeline timeline;
    const auto& times = ranks.timeline.transfers;
    const std::size_t between = schedule.transfers.size();
    const bool inside_first = request_.kind == Kind::reduce;
    const std::span outer =
        inside_first ? std::span(times).last(between) : std::span(times).first(between);
    timeline.transfers.assign(outer.begin(), outer.end());
    timeline.local.resize(schedule.local.size());
    const std::size_t inner_begin = inside_first ? 0 : between;
    const std::size_t inner_end = inner_begin + times.size() - between;
    std::size_t first = 0;
    for (std::size_t m = 0; m < site_.members.size(); ++m) {
        const std::size_t last = first + site_.members[m].ranks().size();
        Seconds completion(0);
        for (std::size_t rank = first; rank < last; ++rank)
            completion = std::max(completion, ranks.timeline.completion[rank]);
        timeline.completion.push_back(completion);
        for (std::size_t p = 0; p < schedule.local.size(); ++p) {
            auto& part = schedule.local[p];
            if (part.node != m) continue;
            Timeline::Span span{completion, Seconds(0)};
            for (std::size_t t = inner_begin; t < inner_end; ++t) {
                const auto& transfer = ranks.schedule.transfers[t];
                if (transfer.from < first || transfer.from >= last) continue;
                span.start = std::min(span.start, times[t].start);
                span.end = std::max(span.end, times[t].end);
            }
            span.start = std::min(span.start, span.end);
            part.duration = span.end - span.start;
            timeline.local[p] = span;
        }
        first = last;
    }
    timeline.makespan = ranks.timeline.makespan;
    return timeline;
}

/// From the site's numbering of ranks, level by level, to the job's.
Schedule TreeCandidates::in_job_order(Schedule schedule) const {
    const auto ranks = site_.ranks();
    schedule.nodes = rank_names(job_);
    schedule.collective.root = ranks[schedule.collective.root];
    for (auto& transfer : schedule.transfers) {
        transfer.from = ranks[transfer.from];
        transfer.to = ranks[transfer.to];
    }
    return schedule;
}

/// A search's bound takes the time inside each cluster as given. So it bounds plans only where
/// there is nothing to choose inside: all times are stated, or each cluster is one rank.
Seconds TreeCandidates::found_bound() const {
    const bool given = std::all_of(
        site_.members.begin(), site_.members.end(),
        [](const Site& member) { return member.known_broadcast || member.members.empty(); });
    return Seconds(given ? found_bound_ : 0);
}

Schedule make_rank_tree(const Job& job, const Request& request, const RankTree& tree) {
    const local::Problem problem{job.places.size(), network::PLogP(), request.bytes};
    Schedule schedule = tree.tree.make(problem, request.root, 1);
    if (request.kind == Kind::reduce)
        schedule = schedule::level_by_level(schedule::mirror(schedule));
    schedule.ports.count = *request.ports;
    schedule.nodes = rank_names(job);
    return schedule;
}

}  // namespace espalier::plan
