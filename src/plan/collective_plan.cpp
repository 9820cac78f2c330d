#include "plan/collective_plan.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_bound.hpp"
#include "plan/composed/pieces.hpp"
#include "plan/exchange_plan.hpp"
#include "plan/gather_plan.hpp"
#include "plan/levels.hpp"
#include "plan/meter.hpp"
#include "plan/overhead.hpp"
#include "plan/site.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace espalier::plan {

namespace {

using schedule::Kind;
using schedule::Plan;
using schedule::Schedule;

/// Candidates are simulated in full in the order of what they take at least: so many, and of each
/// algorithm the first few, since what shared capacities take at least is often the same for all.
constexpr std::size_t finalists = 8;
constexpr std::size_t finalists_of_each = 6;
/// A search between clusters hardly makes a broadcast of whole messages shorter than a good rule
/// by more than this.
constexpr double most_gained_by_search = 1.25;
/// How many messages a node may have under way at once, beside one.
constexpr std::array<std::size_t, 3> several_ports{4, 16, 64};

/// The same network, on which no message slows down another but at the ports.
class Uncrowded final : public simulate::Fabric {
public:
    explicit Uncrowded(const Fabric& fabric) : fabric_(fabric) {}

    [[nodiscard]] std::size_t nodes() const override { return fabric_.nodes(); }
    [[nodiscard]] simulate::MessageCost cost(std::size_t from, std::size_t to,
                                             Bytes size) const override {
        return fabric_.cost(from, to, size);
    }
    [[nodiscard]] simulate::CostFloor floor(std::size_t from, std::size_t to,
                                            Bytes size) const override {
        return fabric_.floor(from, to, size);
    }
    [[nodiscard]] schedule::Ports ports() const override { return fabric_.ports(); }

private:
    const Fabric& fabric_;
};

/// Plans are compared by their makespans and what their messages cost beside.
struct Judged {
    Plan plan;
    Seconds time;
};

/// The best of each algorithm, as far as they may be asked for.
class Ranking {
public:
    explicit Ranking(const Shortlist& shortlist) : shortlist_(shortlist) {}

    /// The time beyond which nothing is of interest; nullopt: nothing is known yet.
    [[nodiscard]] std::optional<Seconds> limit() const {
        if (all_.empty()) return std::nullopt;
        return all_.front().time * (shortlist_.most > 1 ? shortlist_.within : 1.0);
    }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] Seconds least() const { return all_.front().time; }

    void enter(Judged judged) {
        const std::string& name = judged.plan.schedule.algorithm;
        const auto same = std::ranges::find(
            all_, name, [](const Judged& known) { return known.plan.schedule.algorithm; });
        if (same != all_.end()) {
            if (same->time <= judged.time) return;
            all_.erase(same);
        }
        const auto place = std::ranges::upper_bound(all_, judged.time, {}, &Judged::time);
        all_.insert(place, std::move(judged));
        if (all_.size() > shortlist_.most) all_.pop_back();
    }
    [[nodiscard]] std::vector<Plan> take() && {
        const Seconds most = *limit();
        std::vector<Plan> plans;
        for (Judged& judged : all_)
            if (judged.time <= most) plans.push_back(std::move(judged.plan));
        return plans;
    }

private:
    Shortlist shortlist_;
    std::vector<Judged> all_;  ///< by time
};

class Planner {
public:
    Planner(const Job& job, const CollectiveRequest& request, const simulate::Fabric& fabric,
            const Site& site, std::size_t ports, Ranking& ranking)
        : job_(job),
          request_(request),
          fabric_(fabric),
          ports_(ports),
          overhead_(message_overhead(fabric)),
          problem_{&job_,    &request_, &site,
                   &fabric_, ports,     segment_overhead(overhead_, fabric.nodes()).value},
          ranking_(ranking) {}

    void run() {
        add_rings();
        add_exchanges();
        add_composed();
        add_job_plans();
        simulate_candidates();
    }

private:
    [[nodiscard]] bool is_auto() const { return request_.algorithm == "auto"; }
    [[nodiscard]] bool wants(const Algorithm& algorithm, Family family) const {
        return algorithm.family == family && serves(algorithm, request_.kind) &&
               (is_auto() ? algorithm.by_default && !algorithm.for_demands
                          : algorithm.name == request_.algorithm);
    }
    [[nodiscard]] bool wants_any(Family family) const {
        return std::ranges::any_of(
            algorithms(), [&](const Algorithm& algorithm) { return wants(algorithm, family); });
    }

    /// Shared by all families: what one of them can't plan for want of a cost, another may.
    template <typename Make>
    void attempt(Make make) {
        try {
            make();
        } catch (const InputError& error) {
            if (!is_auto()) throw;
            if (!failure_) failure_ = error;
        }
    }

    void add_job_plans() {
        if ((request_.kind != Kind::broadcast && request_.kind != Kind::reduce) ||
            request_.ordered || !(wants_any(Family::grid) || wants_any(Family::local)))
            return;
        using Mode = Segmenting::Mode;
        if (!is_auto() || request_.segmenting.mode != Mode::automatic)
            return (void)add_job_plan(request_.algorithm, request_.segmenting);
        // One rule for pipelines, and all for whole messages where those are not far behind.
        (void)add_job_plan("pipeline", request_.segmenting);
        std::optional<Seconds> least;
        if (!ranking_.empty()) least = ranking_.least();
        for (const Candidate& candidate : candidates_)
            least = std::min(least.value_or(candidate.least), candidate.least);
        const auto whole = add_job_plan("ecef-lat-min", {Mode::none, Bytes(0)});
        if (!least || !whole || *whole <= *least * most_gained_by_search)
            (void)add_job_plan("auto", {Mode::none, Bytes(0)});
    }

    /// Returns how long it takes; nullopt: it can't be planned.
    std::optional<Seconds> add_job_plan(const std::string& algorithm, Segmenting segmenting) {
        std::optional<Seconds> makespan;
        attempt([&] {
            const JobRequest request{.kind = request_.kind,
                                     .root = request_.root,
                                     .bytes = request_.bytes,
                                     .algorithm = algorithm,
                                     .segmenting = segmenting,
                                     .ports = ports_,
                                     .limits = request_.limits,
                                     .spaced = request_.spaced,
                                     .bounded = false,
                                     .overhead = segment_overhead(overhead_, fabric_.nodes())};
            Plan plan = std::move(plan_job(job_, request).ranks.value());
            makespan = plan.timeline.makespan;
            const Seconds overhead = overhead_of(plan.schedule, overhead_);
            enter(std::move(plan), overhead);
        });
        return makespan;
    }

    void add_rings() {
        if (request_.direct) return;  // blocks pass all other ranks
        for (const Algorithm& algorithm : algorithms()) {
            if (!wants(algorithm, Family::allgather)) continue;
            attempt([&] {
                const auto found = std::get<gather::Planner>(algorithm.make)(
                    gather::make_problem(fabric_, request_.bytes), limits());
                add(with_blocks(make_ring_schedule(found.order, request_.bytes, rank_names(job_))),
                    algorithm);
            });
        }
    }

    /// A ring that was found for blocks of one size serves others too.
    [[nodiscard]] Schedule with_blocks(Schedule ring) const {
        ring.collective.blocks = request_.blocks;
        for (schedule::Chunk& chunk : ring.chunks)
            chunk.bytes = ring.collective.block(*chunk.source);
        return ring;
    }

    void add_exchanges() {
        if (!wants_any(Family::exchange)) return;
        ExchangeRequest request;
        request.sizes = request_.sizes
                            ? request_.sizes
                            : ExchangeRequest::uniform(job_.places.size(), request_.bytes);
        request.ports = ports_;
        attempt([&] {
            const exchange::Problem problem = make_exchange_problem(fabric_, request);
            for (const Algorithm& algorithm : algorithms()) {
                if (!wants(algorithm, Family::exchange)) continue;
                const auto found = std::get<exchange::Planner>(algorithm.make)(problem, limits());
                add(make_exchange_schedule(problem, found, request, rank_names(job_)), algorithm);
            }
        });
    }

    /// Where nobody asked for a search by name, it is brief.
    [[nodiscard]] Limits limits() const {
        return is_auto() ? brief(request_.limits, job_.places.size()) : request_.limits;
    }

    void add_composed() {
        if (is_auto() && !composes(request_.kind, request_.ordered, fabric_)) return;
        for (const Algorithm& algorithm : algorithms())
            if (wants(algorithm, Family::composed))
                attempt([&] {
                    for (Schedule& schedule : std::get<composed::Planner>(algorithm.make)(problem_))
                        add(std::move(schedule), algorithm);
                });
    }

    struct Candidate {
        Schedule schedule;
        Seconds least;     ///< what it takes at least, overhead and all
        Seconds overhead;  ///< of its messages
    };

    /// Where nothing is shared but ports, the least is the time itself, and quickly simulated.
    void add(Schedule schedule, const Algorithm& algorithm) {
        schedule.algorithm = algorithm.name;
        // What is composed may leave some of the ports alone.
        const std::size_t ports =
            algorithm.family == Family::composed ? std::min(schedule.ports.count, ports_) : ports_;
        schedule.ports = fabric_.ports();
        schedule.ports.count = ports;
        // What comes in at once, and slowed down, is counted so on its way out as well.
        schedule.spaced =
            request_.spaced && schedule.reception.mode != schedule::Reception::Mode::interleaved;
        const Seconds least =
            std::max(crowded(schedule), simulate::simulate(schedule, Uncrowded(fabric_)).makespan);
        const Seconds overhead = overhead_of(schedule, overhead_);
        candidates_.push_back({std::move(schedule), least + overhead, overhead});
    }

    /// What the bytes on the fullest shared capacity take.
    [[nodiscard]] Seconds crowded(const Schedule& schedule) const {
        const auto capacities = fabric_.capacities();
        std::vector<double> bytes(capacities.size(), 0);
        for (const schedule::Transfer& transfer : schedule.transfers)
            for (const std::uint32_t c : fabric_.draws(transfer.from, transfer.to))
                bytes[c] += static_cast<double>(schedule.bytes_of(transfer).value);
        double most = 0;
        for (std::size_t c = 0; c < capacities.size(); ++c)
            most = std::max(most, bytes[c] / capacities[c].limit);
        return Seconds(most);
    }

    void enter(Plan plan, Seconds overhead) {
        const Seconds time = plan.timeline.makespan + overhead;
        ranking_.enter({std::move(plan), time});
    }

    void simulate_candidates() {
        std::ranges::stable_sort(candidates_, {}, &Candidate::least);
        std::map<std::string, std::size_t> of_each;
        std::size_t simulated = 0;
        for (Candidate& candidate : candidates_) {
            if (const auto limit = ranking_.limit(); limit && *limit <= candidate.least) break;
            std::size_t& of_this = of_each[candidate.schedule.algorithm];
            if (simulated >= finalists && of_this >= finalists_of_each) continue;
            ++simulated;
            ++of_this;
            attempt([&] {
                Plan plan;
                plan.timeline = simulate::simulate(candidate.schedule, fabric_);
                plan.schedule = std::move(candidate.schedule);
                enter(std::move(plan), candidate.overhead);
            });
        }
        if (!ranking_.empty()) return;
        if (failure_) throw InputError(*failure_);
        refuse();
    }

    [[noreturn]] void refuse() const {
        const bool is_known = std::ranges::any_of(algorithms(), [&](const Algorithm& algorithm) {
            return algorithm.name == request_.algorithm && serves(algorithm, request_.kind);
        });
        if (!is_auto() && !is_known)
            throw InputError("algorithm", "",
                             fmt::format("no algorithm for a {} is named '{}'",
                                         name_of(request_.kind), request_.algorithm));
        std::string which = "of this size among these ranks";
        if (request_.ordered) which = "whose operator needs the order of ranks";
        if (request_.direct) which = "whose messages go straight to their targets";
        throw InputError(
            "algorithm", "",
            is_auto() ? fmt::format("no algorithm plans a {} {}", name_of(request_.kind), which)
                      : fmt::format("'{}' does not plan a {} {}", request_.algorithm,
                                    name_of(request_.kind), which));
    }

    const Job& job_;
    const CollectiveRequest& request_;
    const simulate::Fabric& fabric_;
    std::size_t ports_;
    MessageOverhead overhead_;
    composed::Problem problem_;
    std::vector<Candidate> candidates_;
    Ranking& ranking_;
    std::optional<InputError> failure_;
};

}  // namespace

namespace {

/// Whether every message between nodes draws on something: then several at once are no faster than
/// what there is.
bool is_capped(const Job& job, const simulate::Fabric& fabric) {
    for (std::size_t from = 0; from < fabric.nodes(); ++from)
        for (std::size_t to = 0; to < fabric.nodes(); ++to)
            if (job.places[from] != job.places[to] && fabric.draws(from, to).empty()) return false;
    return !fabric.capacities().empty();
}

bool has_clusters(const Site& site) {
    return std::ranges::any_of(site.members,
                               [](const Site& member) { return !member.members.empty(); });
}

/// One port, and where all that messages share is known, several. Inside clusters trees gain
/// nothing by several: their segments come one after the other anyway.
std::vector<std::size_t> port_counts(const Job& job, const CollectiveRequest& request,
                                     const Site& site, const simulate::Fabric& fabric) {
    if (request.ports) return {*request.ports};
    std::vector<std::size_t> counts{1};
    const bool of_blocks = schedule::has_blocks(request.kind) || request.kind == Kind::alltoall;
    if ((of_blocks || !has_clusters(site)) && is_capped(job, fabric))
        for (const std::size_t count : several_ports)
            if (const std::size_t most = std::min(count, job.places.size() - 1);
                most > counts.back())
                counts.push_back(most);
    return counts;
}

void bound(std::vector<Plan>& plans, const simulate::Fabric& fabric, std::size_t ports) {
    const Seconds least = collective_bound(fabric, plans.front().schedule.collective, ports);
    constexpr double rounding = 1e-12;
    for (Plan& plan : plans) {
        plan.lower_bound = std::min(least, plan.timeline.makespan);
        plan.optimal = plan.timeline.makespan <= plan.lower_bound * (1 + rounding);
    }
}

}  // namespace

bool composes(Kind kind, bool ordered, const simulate::Fabric& fabric) {
    const bool one_tree_will_do = (kind == Kind::broadcast || kind == Kind::reduce) && !ordered;
    return !one_tree_will_do || !fabric.capacities().empty();
}

Plan plan_collective(const Job& job, const CollectiveRequest& request) {
    return std::move(plan_collectives(job, request, {}).front());
}

std::vector<Plan> plan_collectives(const Job& job, const CollectiveRequest& request,
                                   const Shortlist& shortlist) {
    if (request.ports == std::size_t{0}) throw InputError("ports", "", "a node has at least one");
    const std::size_t ranks = job.places.size();
    if (schedule::has_root(request.kind) && request.root >= ranks)
        throw InputError("root", "", "no rank has this number");
    if (request.blocks && request.blocks->size() != ranks)
        throw InputError("blocks", "",
                         fmt::format("{} for {} ranks", request.blocks->size(), ranks));
    if (request.kind == Kind::barrier && request.bytes.value > 0)
        throw InputError("bytes", "", "a barrier has none");
    CollectiveRequest meant = request;
    // What is not combined, and what has no bytes, has no order.
    if (!schedule::combines(request.kind) || request.kind == Kind::barrier) meant.ordered = false;
    const Site site = site_of(job);
    if (!site.is_known())
        throw InputError("network", "",
                         "the cost of messages inside every cluster has to be known");
    const auto fabric = simulate::make_rank_fabric(*job.view, job.places);
    const auto counts = port_counts(job, request, site, *fabric);
    Ranking ranking(shortlist);
    const Meter meter(request.limits);
    for (std::size_t c = 0; c < counts.size(); ++c) {
        if (request.hurried && request.algorithm == "auto" && meter.over() && !ranking.empty())
            break;
        meant.limits = meter.share(1 / static_cast<double>(counts.size() - c));
        Planner(job, meant, *fabric, site, counts[c], ranking).run();
    }
    std::vector<Plan> plans = std::move(ranking).take();
    for (Plan& plan : plans) plan.scope = schedule::BoundScope::any;
    if (request.bounded) bound(plans, *fabric, counts.back());
    return plans;
}

}  // namespace espalier::plan
