#include "plan/candidates.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/gather/ring_schedule.hpp"
#include "simulate/simulate.hpp"
#include "simulate/windows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace espalier::plan {

namespace {

using schedule::Kind;
using schedule::Schedule;

/// A network on which messages slow each other down only at ports (contention-free), and no window
/// holds one back.
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

/// The seconds that the bytes on the fullest shared capacity take.
Seconds time_of_fullest(const Schedule& schedule, const simulate::Fabric& fabric) {
    const auto capacities = fabric.capacities();
    std::vector<double> bytes(capacities.size(), 0);
    for (const schedule::Transfer& transfer : schedule.transfers) {
        const Bytes all = schedule.bytes_of(transfer);
        const Bytes longest = schedule::segment_bytes(all, schedule.segments_of(transfer), 0);
        for (const std::uint32_t c : fabric.draws(transfer.from, transfer.to)) {
            const double use =
                capacities[c].presumed
                    ? simulate::link_use(fabric, capacities[c], transfer.from, transfer.to, longest)
                    : 1;
            bytes[c] += use * static_cast<double>(all.value);
        }
    }
    double most = 0;
    for (std::size_t c = 0; c < capacities.size(); ++c)
        most = std::max(most, bytes[c] / capacities[c].limit);
    return Seconds(most);
}

/// The greatest number of segments of one message; of several trees, each segment is a chunk of its
/// own.
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

/// For how long all messages together are under way.
Seconds total_gap(const Schedule& schedule, const simulate::Fabric& fabric) {
    Seconds total;
    for (const schedule::Transfer& transfer : schedule.transfers) {
        const std::size_t segments = schedule.segments_of(transfer);
        const Bytes longest = schedule::segment_bytes(schedule.bytes_of(transfer), segments, 0);
        total +=
            fabric.cost(transfer.from, transfer.to, longest).gap * static_cast<double>(segments);
    }
    return total;
}

bool is_tree_family(Family family) { return family == Family::grid || family == Family::local; }

}  // namespace

std::uint64_t Candidate::steps() const {
    const std::uint64_t once = steps_of_simulating(messages, contended ? under_way : 0);
    // Windows that halve between calls are known after the first pass.
    constexpr std::uint64_t passes = 2;
    return optimistic > least_restart ? passes * once : once;
}

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

std::vector<const Algorithm*> Candidates::makers() const {
    std::vector<const Algorithm*> makers;
    bool trees = false;
    for (const Algorithm& algorithm : algorithms()) {
        if (!admits(algorithm)) continue;
        const bool combined =
            is_tree_family(algorithm.family) && !std::holds_alternative<RankTree>(algorithm.make);
        if (!combined || !std::exchange(trees, true)) makers.push_back(&algorithm);
    }
    return makers;
}

/// The least work of an algorithm, in steps. One that looks for the next of all messages looks for
/// one on each port.
std::uint64_t Candidates::least_work(const Algorithm& algorithm) const {
    constexpr double steps = 4;
    constexpr int in_order = 2;
    const std::size_t ports = algorithm.growth > in_order ? problem_.ports : 1;
    return static_cast<std::uint64_t>(
        steps * std::pow(static_cast<double>(problem_.job->places.size()), algorithm.growth) *
        static_cast<double>(ports));
}

std::vector<Candidate> Candidates::make(const Algorithm& maker, Meter& meter) {
    const Request& request = *problem_.request;
    const Job& job = *problem_.job;
    std::vector<Candidate> found;
    if (const auto* tree = std::get_if<RankTree>(&maker.make)) {
        if (!problem_.site->is_known())
            throw InputError("algorithm", "",
                             fmt::format("'{}' needs to know the links inside every cluster",
                                         request.algorithm));
        Request stated = request;
        stated.ports = problem_.ports;
        found.push_back(candidate(make_rank_tree(job, stated, *tree), maker));
    } else if (const auto* ring = std::get_if<gather::Planner>(&maker.make)) {
        if (request.direct) return {};  // blocks pass all other ranks
        const auto order = (*ring)(gather::make_problem(*problem_.fabric, request.bytes), meter);
        found.push_back(candidate(
            gather::make_ring_schedule(order, request.bytes, request.blocks, rank_names(job)),
            maker));
    } else if (const auto* exchange = std::get_if<exchange::Planner>(&maker.make)) {
        auto collective = request.sizes ? schedule::exchange_of_sizes(request.sizes)
                                        : schedule::Collective{.kind = schedule::Kind::alltoall,
                                                               .nodes = job.places.size(),
                                                               .bytes = request.bytes};
        const exchange::Problem problem =
            exchange::make_problem(*problem_.fabric, std::move(collective), problem_.ports);
        Schedule schedule = exchange::make_schedule(problem, (*exchange)(problem, meter));
        schedule.nodes = rank_names(job);
        found.push_back(candidate(std::move(schedule), maker));
    } else if (const auto* composed = std::get_if<composed::Planner>(&maker.make)) {
        for (Schedule& schedule : (*composed)(problem_, meter))
            found.push_back(candidate(std::move(schedule), maker));
    } else {
        return make_trees(meter);
    }
    return found;
}

TreeCandidates& Candidates::add_trees(const composed::Problem& problem, Meter& meter) {
    Request request = *problem.request;
    request.ports = problem.ports;
    return *trees_.emplace_back(
        std::make_unique<TreeCandidates>(*problem.job, std::move(request), *problem.site,
                                         Seconds(problem.overhead), meter.share(1)));
}

std::vector<Candidate> Candidates::make_trees(Meter& meter) {
    TreeCandidates& trees = add_trees(problem_, meter);
    const bool others = !costs_.empty();
    TreeCandidates& as_stated = others ? add_trees(stated_, meter) : trees;
    std::vector<Candidate> found;
    for (TreeCandidates::Draft& draft : trees.drafts()) {
        Candidate candidate;
        candidate.algorithm = draft.broadcast.algorithm;
        candidate.ports = problem_.ports;
        candidate.segments = most_segments_of(draft.broadcast);
        candidate.messages = candidate.segments * problem_.job->places.size();
        candidate.optimistic = others ? as_stated.estimate_of(draft.broadcast) : draft.estimate;
        candidate.schedule = std::move(draft.broadcast);
        candidate.tree = &as_stated;
        candidate.fabric = stated_.fabric;
        candidate.contended = as_stated.is_contended(candidate.schedule, *candidate.fabric);
        // Down a pipeline all ranks receive.
        candidate.under_way = static_cast<double>(problem_.job->places.size());
        candidate.costs = costs_;
        found.push_back(std::move(candidate));
    }
    meter.spend(trees.spent() + (others ? as_stated.spent() : 0));
    return found;
}

/// Makes a candidate. If nothing is shared but ports, its optimistic time is its exact time, which
/// is quickly simulated.
Candidate Candidates::candidate(Schedule schedule, const Algorithm& algorithm) {
    const simulate::Fabric& fabric = *stated_.fabric;
    schedule.algorithm = algorithm.name;
    // What is composed may leave some of the ports alone.
    const std::size_t ports = algorithm.family == Family::composed
                                  ? std::min(schedule.ports.count, problem_.ports)
                                  : problem_.ports;
    schedule.ports = fabric.ports();
    schedule.ports.count = ports;
    Candidate candidate;
    candidate.algorithm = algorithm.name;
    candidate.ports = ports;
    candidate.segments = most_segments_of(schedule);
    candidate.messages = messages_of(schedule);
    candidate.fabric = &fabric;
    candidate.contended = simulate::can_be_short(schedule, fabric);
    candidate.least_restart = simulate::Windows(schedule, fabric).least_restart();
    const Seconds fullest = time_of_fullest(schedule, fabric);
    Seconds alone;
    const std::uint64_t steps = steps_a_queued_message * candidate.messages;
    if (steps <= meter_.work_left()) {
        meter_.spend(steps);
        alone = simulate::simulate(schedule, ContentionFree(fabric)).makespan;
    }
    // What is sent faster than a capacity carries it piles up, as far as there are ports.
    const auto most = static_cast<double>(std::min(candidate.messages, fabric.nodes() * ports));
    candidate.under_way =
        fullest < alone ? std::min(most, total_gap(schedule, fabric) / alone) : most;
    candidate.optimistic = std::max(fullest, alone) + overhead_of(schedule, overhead_);
    candidate.costs = costs_;
    candidate.schedule = std::move(schedule);
    return candidate;
}

Seconds Candidates::found_bound() const {
    Seconds bound(0);
    if (!costs_.empty()) return bound;
    for (const auto& trees : trees_) bound = std::max(bound, trees->found_bound());
    return bound;
}

}  // namespace espalier::plan
