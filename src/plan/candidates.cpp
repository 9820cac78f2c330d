#include "plan/candidates.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/exchange_plan.hpp"
#include "plan/gather/ring_schedule.hpp"
#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace espalier::plan {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// The same network, on which no message slows down another but at the ports.
class ContentionFree final : public simulate::Fabric {
public:
    explicit ContentionFree(const Fabric& fabric) : fabric_(fabric) {}

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

/// What the bytes on the fullest shared capacity take.
Seconds time_of_fullest(const Schedule& schedule, const simulate::Fabric& fabric) {
    const auto capacities = fabric.capacities();
    std::vector<double> bytes(capacities.size(), 0);
    for (const schedule::Transfer& transfer : schedule.transfers)
        for (const std::uint32_t c : fabric.draws(transfer.from, transfer.to))
            bytes[c] += static_cast<double>(schedule.bytes_of(transfer).value);
    double most = 0;
    for (std::size_t c = 0; c < capacities.size(); ++c)
        most = std::max(most, bytes[c] / capacities[c].limit);
    return Seconds(most);
}

/// Of one message: of several trees, each segment is a chunk of its own.
std::size_t most_segments_of(const Schedule& schedule) {
    const Kind kind = schedule.collective.kind;
    const bool of_messages =
        kind == Kind::broadcast || kind == Kind::reduce || kind == Kind::allreduce;
    std::size_t most = of_messages ? schedule.chunks.size() : 1;
    for (const schedule::Chunk& chunk : schedule.chunks) most = std::max(most, chunk.segments);
    return most;
}

std::size_t messages_of(const Schedule& schedule) {
    std::size_t messages = 0;
    for (const schedule::Transfer& transfer : schedule.transfers)
        messages += schedule.segments_of(transfer);
    return messages;
}

bool is_tree_family(Family family) { return family == Family::grid || family == Family::local; }

}  // namespace

Candidates::Candidates(const composed::Problem& problem, Seconds segment_overhead,
                       const MessageOverhead& overhead)
    : problem_(problem),
      segment_overhead_(segment_overhead),
      overhead_(overhead),
      meter_(problem.limits) {}

bool Candidates::is_auto() const { return problem_.request->algorithm == "auto"; }

bool Candidates::admits(const Algorithm& algorithm) const {
    const Request& request = *problem_.request;
    if (!serves(algorithm, request.kind)) return false;
    const bool tree = is_tree_family(algorithm.family);
    if (tree && request.ordered) return false;
    // Only trees know of clusters, and of what happens inside each.
    if (!tree && (!problem_.site->is_known() || request.local != "auto")) return false;
    if (!is_auto()) return algorithm.name == request.algorithm;
    return algorithm.by_default && !std::holds_alternative<RankTree>(algorithm.make);
}

bool Candidates::knows_algorithm() const {
    return is_auto() || std::ranges::any_of(algorithms(), [&](const Algorithm& algorithm) {
               return algorithm.name == problem_.request->algorithm &&
                      serves(algorithm, problem_.request->kind);
           });
}

std::vector<Candidate> Candidates::make() {
    // All trees are made at once: orders between clusters and strategies inside are combined.
    std::vector<const Algorithm*> makers;
    bool trees = false;
    for (const Algorithm& algorithm : algorithms()) {
        if (!admits(algorithm)) continue;
        const bool combined =
            is_tree_family(algorithm.family) && !std::holds_alternative<RankTree>(algorithm.make);
        if (!combined || !std::exchange(trees, true)) makers.push_back(&algorithm);
    }
    for (std::size_t m = 0; m < makers.size(); ++m) {
        const Algorithm& maker = *makers[m];
        if (!found_.empty() && (meter_.over() || least_work(maker) > meter_.work_left())) {
            failures_.push_back({std::string(maker.name), problem_.ports, 1, std::nullopt,
                                 std::nullopt, "not tried: the budget was used up"});
            continue;
        }
        meter_.spend(least_work(maker));
        const std::size_t before = found_.size();
        std::string reason = "it makes no plan for this request";
        try {
            make_by(maker, share_of_one(makers.size() - m));
        } catch (const InputError& error) {
            // What one algorithm can't plan for want of a cost, another may.
            if (!is_auto()) throw;
            reason = error.what();
            if (!refusal_) refusal_ = error;
        }
        if (found_.size() == before)
            failures_.push_back({std::string(maker.name), problem_.ports, 1, std::nullopt,
                                 std::nullopt, "no plan: " + reason});
    }
    return std::move(found_);
}

/// Whoever looks for the next of all messages looks for one on each port.
std::uint64_t Candidates::least_work(const Algorithm& algorithm) const {
    constexpr double steps = 4;
    constexpr int in_order = 2;
    const std::size_t ports = algorithm.growth > in_order ? problem_.ports : 1;
    return static_cast<std::uint64_t>(
        steps * std::pow(static_cast<double>(problem_.job->places.size()), algorithm.growth) *
        static_cast<double>(ports));
}

/// What is left is shared alike by those that are still to come.
Limits Candidates::share_of_one(std::size_t left) const {
    return meter_.share(1 / static_cast<double>(left));
}

void Candidates::make_by(const Algorithm& algorithm, const Limits& limits) {
    const Request& request = *problem_.request;
    const Job& job = *problem_.job;
    if (const auto* tree = std::get_if<RankTree>(&algorithm.make)) {
        if (!problem_.site->is_known())
            throw InputError("algorithm", "",
                             fmt::format("'{}' needs to know the links inside every cluster",
                                         request.algorithm));
        Request stated = request;
        stated.ports = problem_.ports;
        add(make_rank_tree(job, stated, *tree), algorithm);
    } else if (const auto* ring = std::get_if<gather::Planner>(&algorithm.make)) {
        if (request.direct) return;  // blocks pass all other ranks
        const auto found = (*ring)(gather::make_problem(*problem_.fabric, request.bytes), limits);
        add(gather::make_ring_schedule(found.order, request.bytes, request.blocks, rank_names(job)),
            algorithm);
    } else if (const auto* exchange = std::get_if<exchange::Planner>(&algorithm.make)) {
        ExchangeRequest stated;
        stated.sizes = request.sizes ? request.sizes
                                     : ExchangeRequest::uniform(job.places.size(), request.bytes);
        stated.ports = problem_.ports;
        const exchange::Problem problem = make_exchange_problem(*problem_.fabric, stated);
        add(make_exchange_schedule(problem, (*exchange)(problem, limits), stated, rank_names(job)),
            algorithm);
    } else if (const auto* composed = std::get_if<composed::Planner>(&algorithm.make)) {
        composed::Problem problem = problem_;
        problem.limits = limits;
        for (Schedule& schedule : (*composed)(problem)) add(std::move(schedule), algorithm);
    } else {
        make_trees(limits);
    }
}

void Candidates::make_trees(const Limits& limits) {
    Request stated = *problem_.request;
    stated.ports = problem_.ports;
    trees_ = std::make_unique<TreeCandidates>(*problem_.job, std::move(stated), *problem_.site,
                                              segment_overhead_, limits);
    for (TreeCandidates::Draft& draft : trees_->drafts()) {
        Candidate candidate;
        candidate.algorithm = draft.broadcast.algorithm;
        candidate.ports = problem_.ports;
        candidate.segments = most_segments_of(draft.broadcast);
        candidate.messages = candidate.segments * problem_.job->places.size();
        candidate.optimistic = draft.estimate;
        candidate.schedule = std::move(draft.broadcast);
        candidate.tree = trees_.get();
        candidate.fabric = problem_.fabric;
        found_.push_back(std::move(candidate));
    }
}

/// Where nothing is shared but ports, what it takes at least is the time itself, and quickly
/// simulated.
void Candidates::add(Schedule schedule, const Algorithm& algorithm) {
    const simulate::Fabric& fabric = *problem_.fabric;
    schedule.algorithm = algorithm.name;
    // What is composed may leave some of the ports alone.
    const std::size_t ports = algorithm.family == Family::composed
                                  ? std::min(schedule.ports.count, problem_.ports)
                                  : problem_.ports;
    schedule.ports = fabric.ports();
    schedule.ports.count = ports;
    // What comes in at once, and slowed down, is counted so on its way out as well.
    schedule.spaced = problem_.request->spaced &&
                      schedule.reception.mode != schedule::Reception::Mode::interleaved;
    Candidate candidate;
    candidate.algorithm = algorithm.name;
    candidate.ports = ports;
    candidate.segments = most_segments_of(schedule);
    candidate.messages = messages_of(schedule);
    candidate.fabric = &fabric;
    Seconds least = time_of_fullest(schedule, fabric);
    const std::uint64_t steps = steps_a_queued_message * candidate.messages;
    if (steps <= meter_.work_left()) {
        meter_.spend(steps);
        least = std::max(least, simulate::simulate(schedule, ContentionFree(fabric)).makespan);
    }
    candidate.optimistic = least + overhead_of(schedule, overhead_);
    candidate.schedule = std::move(schedule);
    found_.push_back(std::move(candidate));
}

Seconds Candidates::found_bound() const { return trees_ ? trees_->found_bound() : Seconds(0); }

}  // namespace espalier::plan
