#include "plan/job.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/job_bounds.hpp"
#include "plan/levels.hpp"
#include "plan/local/tree.hpp"
#include "plan/meter.hpp"
#include "plan/site.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace espalier::plan {

namespace {

using schedule::BoundScope;
using schedule::Kind;
using schedule::Plan;
using schedule::Schedule;
using schedule::Timeline;

/// How many segment sizes are tried with every algorithm and strategy, of those that look best with
/// one of each.
constexpr std::size_t segment_sizes_tried = 3;
/// How many of the candidates that look best are simulated in full.
constexpr std::size_t finalists = 4;
/// Messages that slow each other down take long to simulate: so many at most are worth while.
constexpr std::size_t most_slow_messages = 32'768;

using GridRule = grid::Order (*)(const grid::Problem&);

/// A schedule that could be the plan, and what its time looks like.
struct Candidate {
    Schedule schedule;
    double estimate = 0;
};

class Planner {
public:
    Planner(const Job& job, const JobRequest& request)
        : job_(job),
          request_(request),
          site_(site_of(job)),
          levels_(job, request_, chosen_local()),
          meter_(request_.limits) {}

    /// nullopt: all plans look longer than that.
    std::optional<JobPlan> run(Seconds longest) {
        if (const auto* tree = named_rank_tree()) return rank_tree(*tree);
        std::vector<Candidate> candidates;
        const auto orders = chosen_orders();
        if (request_.segmenting.mode != Segmenting::Mode::fixed)
            for (const Algorithm* order : orders)
                add(candidates, levels_.whole(site_, whole_order(*order)), *order);
        for (const std::size_t segments : promising_segment_counts(*orders.back()))
            for (const Algorithm* order : orders) {
                // What a search is for, the least time of one message, is not what matters here.
                if (orders.size() > 1 && std::holds_alternative<grid::Searcher>(order->make) &&
                    request_.segmenting.mode == Segmenting::Mode::automatic)
                    continue;
                for (const Algorithm* local : pipelining_strategies())
                    add(candidates,
                        levels_.pipelined(site_, pipelined_order(*order), *local, segments),
                        *order);
            }
        const auto looks = [](const Candidate& candidate) { return candidate.estimate; };
        if (std::ranges::min(candidates, {}, looks).estimate > longest.value) return std::nullopt;
        return finish(best_of(candidates));
    }

private:
    [[nodiscard]] bool known() const { return site_.is_known(); }

    /// One cluster is planned by local strategies alone: a local name may stand for the algorithm.
    [[nodiscard]] bool local_name_given() const {
        return site_.members.size() == 1 &&
               find_algorithm(Family::local, request_.algorithm) != nullptr;
    }

    [[nodiscard]] const Algorithm* chosen_local() const {
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

    [[nodiscard]] std::vector<const Algorithm*> chosen_orders() const {
        std::vector<const Algorithm*> orders;
        const bool any = request_.algorithm == "auto" || local_name_given();
        for (const Algorithm& algorithm : algorithms())
            if ((std::holds_alternative<GridRule>(algorithm.make) ||
                 std::holds_alternative<grid::Searcher>(algorithm.make)) &&
                serves(algorithm, request_.kind) &&
                (any ? algorithm.by_default : algorithm.name == request_.algorithm))
                orders.push_back(&algorithm);
        if (orders.empty())
            throw InputError("algorithm", "",
                             fmt::format("no algorithm for a {} on a grid is named '{}'",
                                         name_of(request_.kind), request_.algorithm));
        if (site_.members.size() == 1) orders.resize(1);  // there is nothing to order
        return orders;
    }

    [[nodiscard]] const RankTree* named_rank_tree() const {
        const Algorithm* found = find_algorithm(Family::grid, request_.algorithm);
        return found == nullptr ? nullptr : std::get_if<RankTree>(&found->make);
    }

    [[nodiscard]] std::vector<const Algorithm*> pipelining_strategies() const {
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
    [[nodiscard]] std::set<std::size_t> segment_counts() const {
        std::set<std::size_t> counts;
        const Bytes bytes = request_.bytes;
        const auto add_size = [&](std::uint64_t size) {
            const std::size_t count = (bytes.value + size - 1) / size;
            if (count > 1) counts.insert(local::usable_segments(bytes, count));
        };
        switch (request_.segmenting.mode) {
            case Segmenting::Mode::none:
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
                std::erase_if(
                    counts, [most = most_simulated()](std::size_t count) { return count > most; });
                break;
        }
        return counts;
    }

    [[nodiscard]] std::size_t most_simulated() const {
        const bool slow = request_.ports > 1 || !job_.view->shared().empty();
        const std::size_t edges = std::max<std::size_t>(1, job_.places.size() - 1);
        return slow ? std::min(most_segments, most_slow_messages / edges) : most_segments;
    }

    /// Different algorithms often order alike; each schedule is looked at once.
    void add(std::vector<Candidate>& candidates, Schedule schedule, const Algorithm& algorithm) {
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
        const double estimate = estimate_of(schedule) + overhead_of(schedule);
        candidates.push_back({std::move(schedule), estimate});
    }

    [[nodiscard]] double estimate_of(const Schedule& schedule) const {
        return known() ? levels_.estimate(site_, schedule).value
                       : levels_.time_members(site_, levels_.as_asked(schedule)).makespan.value;
    }

    [[nodiscard]] double overhead_of(const Schedule& schedule) const {
        return request_.overhead.value * static_cast<double>(schedule.chunks.front().segments);
    }

    /// Orders of whole messages between the outermost clusters.
    [[nodiscard]] LevelPlanner::Order whole_order(const Algorithm& algorithm) {
        if (const auto* rule = std::get_if<GridRule>(&algorithm.make)) return *rule;
        return [this, search = std::get<grid::Searcher>(algorithm.make),
                asked = request_.algorithm == algorithm.name](const grid::Problem& problem) {
            const Limits& limits = request_.limits;
            grid::Found found = search(problem, asked ? limits : brief(limits, problem.size()));
            found_bound_ = std::max(found_bound_, found.lower_bound);
            return found.order;
        };
    }

    /// Orders for each size of segments that is looked at: a search has to be brief.
    [[nodiscard]] LevelPlanner::Order pipelined_order(const Algorithm& algorithm) const {
        if (const auto* rule = std::get_if<GridRule>(&algorithm.make)) return *rule;
        return [this,
                search = std::get<grid::Searcher>(algorithm.make)](const grid::Problem& problem) {
            return search(problem, brief(request_.limits, problem.size())).order;
        };
    }

    /// The segment counts that look best with one order and one strategy.
    [[nodiscard]] std::vector<std::size_t> promising_segment_counts(const Algorithm& order) {
        std::vector<std::pair<double, std::size_t>> counts;
        const Algorithm& local = *pipelining_strategies().back();
        for (const std::size_t segments : segment_counts()) {
            const Schedule schedule =
                levels_.pipelined(site_, pipelined_order(order), local, segments);
            counts.emplace_back(estimate_of(schedule) + overhead_of(schedule), segments);
        }
        std::sort(counts.begin(), counts.end());
        counts.resize(std::min(counts.size(), segment_sizes_tried));
        std::vector<std::size_t> best;
        for (const auto& [time, segments] : counts) best.push_back(segments);
        return best;
    }

    [[nodiscard]] Schedule best_of(std::vector<Candidate>& candidates) const {
        std::stable_sort(
            candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.estimate < b.estimate; });
        std::size_t best = 0;
        double least = 0;
        for (std::size_t c = 0; c < std::min(finalists, candidates.size()); ++c) {
            if (c > 0 && meter_.over()) break;
            const double time =
                full_time(candidates[c].schedule) + overhead_of(candidates[c].schedule);
            if (c == 0 || time < least) {
                best = c;
                least = time;
            }
        }
        return std::move(candidates[best].schedule);
    }

    [[nodiscard]] double full_time(const Schedule& schedule) const {
        const Schedule asked = levels_.as_asked(schedule);
        if (!known()) return levels_.time_members(site_, asked).makespan.value;
        return levels_.time_ranks(site_, schedule::expand(asked, site_.group().members))
            .makespan.value;
    }

    [[nodiscard]] JobPlan finish(const Schedule& broadcast) const {
        Schedule schedule = levels_.as_asked(broadcast);
        JobPlan result;
        if (!known()) {
            result.clusters.timeline = levels_.time_members(site_, schedule);
            result.clusters.schedule = std::move(schedule);
            bound_members(result.clusters);
            return result;
        }
        Plan ranks;
        ranks.schedule = schedule::expand(schedule, site_.group().members);
        ranks.timeline = levels_.time_ranks(site_, ranks.schedule);
        result.clusters.timeline = seen_from_above(schedule, ranks);
        result.clusters.schedule = std::move(schedule);
        to_job_order(ranks);
        bound_ranks(ranks);
        result.clusters.lower_bound = ranks.lower_bound;
        result.clusters.scope = ranks.scope;
        result.clusters.optimal = ranks.optimal;
        result.clusters.any_bound = ranks.any_bound;
        result.ranks = std::move(ranks);
        return result;
    }

    /// The clusters' timeline as it is between the ranks: the coordinators' transfers are the first
    /// ones of a broadcast and the last ones of a reduction, and a local part lasts from its first
    /// send to its last arrival.
    [[nodiscard]] Timeline seen_from_above(Schedule& schedule, const Plan& ranks) const {
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
    void to_job_order(Plan& plan) const {
        const auto ranks = site_.ranks();
        Schedule& schedule = plan.schedule;
        std::vector<Seconds> completion(ranks.size());
        for (std::size_t i = 0; i < ranks.size(); ++i)
            completion[ranks[i]] = plan.timeline.completion[i];
        schedule.nodes = rank_names(job_);
        plan.timeline.completion = std::move(completion);
        schedule.collective.root = ranks[schedule.collective.root];
        for (auto& transfer : schedule.transfers) {
            transfer.from = ranks[transfer.from];
            transfer.to = ranks[transfer.to];
        }
    }

    void bound_ranks(Plan& plan) const {
        if (!request_.bounded) return;
        const auto& schedule = plan.schedule;
        const bool whole =
            schedule.chunks.size() == 1 &&
            std::all_of(schedule.transfers.begin(), schedule.transfers.end(),
                        [&](const auto& transfer) { return schedule.segments_of(transfer) == 1; });
        plan.scope = whole ? BoundScope::whole_message : BoundScope::any;
        bound_plan(plan, job_, request_, {job_.places, request_.root, {}, found_bound()});
    }

    /// Where insides are known by their times, those are what each cluster needs once it is served.
    void bound_members(Plan& plan) const {
        if (!request_.bounded) return;
        Bounded members{{}, plan.schedule.collective.root, {}, found_bound()};
        for (const Site& member : site_.members) {
            members.inner.push_back(member.known_broadcast.value_or(Seconds(0)));
            members.places.push_back(job_.places[member.ranks().front()]);
        }
        plan.scope = plan.schedule.chunks.front().segments == 1 ? BoundScope::whole_message
                                                                : BoundScope::any;
        bound_plan(plan, job_, request_, members);
    }

    /// A search's bound takes the time inside each cluster as given. So it bounds plans only where
    /// there is nothing to choose inside: all times are stated, or each cluster is one rank.
    [[nodiscard]] Seconds found_bound() const {
        const bool given = std::all_of(
            site_.members.begin(), site_.members.end(),
            [](const Site& member) { return member.known_broadcast || member.members.empty(); });
        return Seconds(given ? found_bound_ : 0);
    }

    /// A plan that knows ranks only: it stands for itself between clusters as well.
    [[nodiscard]] JobPlan rank_tree(const RankTree& tree) const {
        if (!known())
            throw InputError("algorithm", "",
                             fmt::format("'{}' needs to know the links inside every cluster",
                                         request_.algorithm));
        Plan plan;
        const local::Problem problem{job_.places.size(), network::PLogP(), request_.bytes};
        plan.schedule = levels_.as_asked(tree.tree.make(problem, request_.root, 1));
        plan.schedule.algorithm = request_.algorithm;
        plan.schedule.ports.count = request_.ports;
        plan.schedule.spaced = request_.spaced;
        plan.schedule.nodes = rank_names(job_);
        plan.timeline =
            simulate::simulate(plan.schedule, *simulate::make_rank_fabric(*job_.view, job_.places));
        bound_ranks(plan);
        return {plan, plan};
    }

    const Job& job_;
    JobRequest request_;
    Site site_;
    LevelPlanner levels_;
    Meter meter_;
    std::set<std::pair<std::vector<std::size_t>, std::string>> seen_;
    double found_bound_ = 0;  ///< of the searches between the outermost clusters
};

}  // namespace

std::vector<std::string> rank_names(const Job& job) {
    std::map<network::GridView::Place, std::size_t> ranks_of;
    for (const auto place : job.places) ++ranks_of[place];
    std::map<network::GridView::Place, std::size_t> named;
    std::vector<std::string> names;
    for (const auto place : job.places) {
        names.push_back(job.view->name_of(place));
        if (ranks_of[place] > 1) names.back() += fmt::format(":{}", named[place]++);
    }
    return names;
}

JobPlan plan_job(const Job& job, const JobRequest& request) {
    return plan_job_within(job, request, Seconds(std::numeric_limits<double>::infinity())).value();
}

std::optional<JobPlan> plan_job_within(const Job& job, const JobRequest& request, Seconds longest) {
    if (request.kind != Kind::broadcast && request.kind != Kind::reduce)
        throw InputError("collective", "",
                         fmt::format("a {} is not planned this way", name_of(request.kind)));
    if (request.ports == 0) throw InputError("ports", "", "a node has at least one");
    if (request.root >= job.places.size()) throw InputError("root", "", "no rank has this number");
    return Planner(job, request).run(longest);
}

}  // namespace espalier::plan
