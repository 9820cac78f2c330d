#include "core/text.hpp"
#include "plan/overhead.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/planning_effort.hpp"
#include "runtime/logic/stall.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

namespace espalier::runtime {

namespace {

using Places = std::vector<network::GridView::Place>;
using Shares = std::vector<PlannedCollective>;
using schedule::Kind;

/// The number of plans among which calls decide.
constexpr std::size_t most_plans = 3;
/// What ranks tell each other of the calls that they look at.
constexpr Bytes told{64};

Shares refused(std::size_t ranks, const std::string& reason) {
    PlannedCollective share;
    share.refusal = reason;
    return Shares(ranks, share);
}

bool is_of_blocks_for_all(Kind kind) {
    return kind == Kind::alltoall || kind == Kind::allgather || kind == Kind::reduce_scatter;
}

/// Those whose blocks can go straight to whom they are for.
bool can_go_direct(Kind kind) {
    return kind == Kind::scatter || kind == Kind::gather || kind == Kind::alltoall;
}

/// Pairs that have nothing for each other now may have something in another call of the signature:
/// each pair has a message, if only an empty one; `neighbours`: each of these.
void complete_exchange(schedule::Schedule& schedule, const Matrix<char>* neighbours) {
    const std::size_t ranks = schedule.nodes.size();
    Matrix<char> known(ranks, ranks, 0);
    for (const schedule::Chunk& chunk : schedule.chunks)
        if (chunk.source && chunk.target) known(*chunk.source, *chunk.target) = 1;
    for (std::size_t step = 1; step < ranks; ++step)
        for (std::size_t from = 0; from < ranks; ++from) {
            const std::size_t to = (from + step) % ranks;
            if (known(from, to) != 0) continue;
            if (neighbours != nullptr && (*neighbours)(from, to) == 0) continue;
            schedule.transfers.push_back({from, to, schedule.chunks.size()});
            schedule.chunks.push_back({Bytes(0), 1, from, to});
        }
}

class Planning {
public:
    Planning(const network::GridView& view, const Places& places, const Signature& signature,
             const BlockSizes& sizes, const Policy& policy)
        : job_{&view, places},
          signature_(signature),
          sizes_(sizes),
          policy_(policy),
          fabric_(simulate::make_rank_fabric(view, places)),
          library_(library()),
          steps_(steps()) {}

    [[nodiscard]] Seconds time_of_own() const { return library_.expected; }
    /// An all-reduce goes to the leader and back; shares are sent from there, after their sizes.
    [[nodiscard]] Seconds dealing() const { return agreement(); }
    [[nodiscard]] PlannedRanks plan() const {
        const std::size_t ranks = job_.places.size();
        if (is_of_blocks_for_all(signature_.kind) && ranks > most_ranks_of_blocks)
            return {refused(ranks, fmt::format("more than {} ranks", most_ranks_of_blocks)), {}};
        if (!steps_) return {not_yet(), {}};
        PlannedRanks planned = best(signature_.direct);
        if (fits(planned.shares)) return planned;
        // Blocks that nobody relays need no room on the way.
        if (!signature_.direct && can_go_direct(signature_.kind) && policy_.choice.name == "auto")
            if (PlannedRanks direct = best(true); fits(direct.shares)) return direct;
        planned.shares =
            refused(ranks, fmt::format("a rank would have to stage {}, more than "
                                       "ESPALIER_MEMORY ({})",
                                       format_bytes(Bytes(planned.shares.front().staging_bytes)),
                                       format_bytes(policy_.memory)));
        return planned;
    }

private:
    [[nodiscard]] bool fits(const Shares& shares) const {
        return shares.front().staging_bytes <= policy_.memory.value;
    }

    /// Whether calls decide between what is planned and MPI's own: where results are the same
    /// anyway, or need not be or are by doing as was done before.
    [[nodiscard]] bool calls_decide() const {
        return policy_.planning != Settings::Planning::always &&
               (signature_.exact || policy_.reproducible != Settings::Reproducible::by_network);
    }
    /// Whether plans must not depend on what was measured.
    [[nodiscard]] bool is_only() const {
        return !signature_.exact && policy_.reproducible != Settings::Reproducible::never;
    }
    [[nodiscard]] double uncertainty() const { return job_.view->grid().uncertainty; }
    [[nodiscard]] bool is_free() const { return policy_.choice.name == "auto"; }
    /// A library does its best rarely: it chooses by size alone, and simulation knows nothing of
    /// how messages that it sends at once slow each other down. Between neighbours it has no
    /// choice. Its long messages wait for their receivers, where plans are cut.
    [[nodiscard]] Bandit::Prior library() const {
        const double more = 1 + uncertainty();
        const auto waiting = simulate::with_rendezvous(*fabric_, policy_.eager);
        const Seconds time = library_time(*waiting, signature_, sizes_);
        return {signature_.among_neighbours ? time : time * more, more * more - 1};
    }
    /// How long ranks take to hear what all of them saw.
    [[nodiscard]] Seconds agreement() const { return library_time(*fabric_, agreement_, {}); }
    /// Calls go on while its messages are on their way: what it takes of them is what these take of
    /// processors.
    [[nodiscard]] Seconds agreeing() const {
        return plan::overhead_of(library_plan(*fabric_, agreement_, {}).schedule,
                                 plan::message_overhead(*fabric_));
    }

    /// Of planning; nullopt: calls have to take longer before it pays.
    [[nodiscard]] std::optional<std::uint64_t> steps() const {
        const std::size_t ranks = job_.places.size();
        if (policy_.planning == Settings::Planning::always || !is_free())
            return plan::standard_budget(ranks).most_steps();
        if (is_only() || policy_.is_repeated)
            return worth_planning(ranks, library_.expected, 0).value_or(short_planning(ranks));
        const Seconds spent = policy_.spent.value_or(library_.expected);
        const auto more = worth_planning(ranks, spent, policy_.steps_before);
        return more || policy_.steps_before == 0 ? more : policy_.steps_before;
    }
    [[nodiscard]] Shares not_yet() const {
        PlannedCollective share;
        share.refusal = "calls took less so far than planning would";
        share.library = library_;
        share.agreement = agreement();
        share.agreeing = agreeing();
        share.is_final = false;
        return Shares(job_.places.size(), share);
    }

    /// The programs of the best plan that ranks can follow, with those that may be better in truth;
    /// if there is none, the reason why ranks can't follow the best one. If block sizes become
    /// known only now and then, it is one plan at a time.
    [[nodiscard]] PlannedRanks best(bool direct) const {
        const bool several = calls_decide() && is_free() && !signature_.direct;
        const Limits standard = plan::standard_budget(job_.places.size());
        plan::Race race = plan::race(job_, request_of(signature_, sizes_, policy_, direct),
                                     standard.at_most(*steps_));
        Shares shares;
        Shares unusable;
        std::vector<std::shared_ptr<const schedule::Schedule>> schedules;
        for (const plan::Ranked& ranked : race.ranked) {
            if (schedules.size() == (several ? most_plans : 1)) break;
            Shares next = compiled(ranked);
            if (next.front().is_native() || !fits(next)) {
                if (unusable.empty()) unusable = std::move(next);
                continue;
            }
            schedules.push_back(std::make_shared<const schedule::Schedule>(ranked.plan.schedule));
            if (shares.empty()) {
                shares = std::move(next);
            } else {
                for (std::size_t rank = 0; rank < shares.size(); ++rank)
                    shares[rank].others.push_back(std::move(next[rank]));
            }
        }
        if (shares.empty()) return {std::move(unusable), std::move(race.considered)};
        for (PlannedCollective& share : shares) {
            share.steps = *steps_;
            share.is_only = is_only();
            share.is_final =
                !several || is_only() || !race.ran_short || *steps_ >= standard.most_steps();
        }
        return {std::move(shares), std::move(race.considered), std::move(schedules)};
    }

    [[nodiscard]] Shares compiled(const plan::Ranked& found) const {
        schedule::Schedule schedule = found.plan.schedule;
        PlannedCollective promise;
        promise.algorithm = schedule.algorithm;
        if (found.simulated)
            promise.predicted = found.plan.timeline.makespan +
                                plan::processor_time(schedule, fabric_->message_time());
        promise.bound = found.plan.scope == schedule::BoundScope::any ? found.plan.lower_bound
                                                                      : found.plan.any_bound;
        for (const schedule::Transfer& transfer : schedule.transfers)
            promise.segments = std::max(promise.segments, schedule.segments_of(transfer));
        if (const std::string reason = decide(promise); !reason.empty())
            return refused(job_.places.size(), reason);
        // Never a wrong result, whatever a planner does.
        if (const auto violation = schedule::find_violation(schedule))
            return refused(job_.places.size(), "no valid plan: " + violation->what);
        if (signature_.kind == Kind::alltoall) complete_exchange(schedule, sizes_.neighbours.get());
        auto programs = compile_ranks(schedule, *fabric_, policy_.eager, found.plan.timeline);
        if (would_stall(programs))
            return refused(programs.size(), "ranks would wait for each other");
        for (std::size_t rank = 0; rank < programs.size(); ++rank)
            promise.staging_bytes = std::max(
                promise.staging_bytes, staging_bytes(programs[rank], rank, signature_, sizes_));
        Shares shares(programs.size(), promise);
        for (std::size_t rank = 0; rank < programs.size(); ++rank)
            shares[rank].program = std::move(programs[rank]);
        return shares;
    }

    /// Why the plan is not used; empty where it is, or where calls decide.
    [[nodiscard]] std::string decide(PlannedCollective& promise) const {
        if (policy_.planning == Settings::Planning::always) {
            promise.choice = "asked for by ESPALIER_PLAN";
            return "";
        }
        if (calls_decide()) {
            promise.library = library_;
            promise.agreement = agreement();
            promise.agreeing = agreeing();
            promise.prior = library_;
            if (promise.predicted) {
                promise.prior = {*promise.predicted, uncertainty(), policy_.usual};
                promise.prior.unexplained = policy_.unexplained;
            }
            return "";
        }
        if (!is_free()) {
            promise.choice = "asked for by ESPALIER_ALGORITHM";
            return "";
        }
        if (!promise.predicted) return "too many messages to be predicted";
        std::string prediction =
            fmt::format("predicted: planned {}, MPI's own about {}",
                        format_seconds(*promise.predicted), format_seconds(library_.expected));
        if (*promise.predicted > library_.expected) return prediction;
        promise.choice = prediction;
        return "";
    }

    const plan::Job job_;
    const Signature& signature_;
    const BlockSizes& sizes_;
    const Policy& policy_;
    const std::unique_ptr<const simulate::Fabric> fabric_;
    const Signature agreement_{.kind = Kind::allreduce, .bytes = told};
    const Bandit::Prior library_;  ///< of a call that MPI does itself
    const std::optional<std::uint64_t> steps_;
};

}  // namespace

std::vector<std::string> PlannedCollective::algorithms() const {
    std::vector<std::string> names;
    if (!is_native()) names.push_back(algorithm);
    for (const PlannedCollective& other : others) names.push_back(other.algorithm);
    return names;
}

std::vector<Bandit::Prior> PlannedCollective::priors() const {
    std::vector<Bandit::Prior> all;
    if (!is_native()) all.push_back(prior);
    for (const PlannedCollective& other : others) all.push_back(other.prior);
    return all;
}

plan::Request request_of(const Signature& signature, const BlockSizes& sizes, const Policy& policy,
                         bool direct) {
    plan::Request request;
    request.kind = signature.kind;
    request.root = static_cast<std::size_t>(signature.root);
    request.bytes = sizes.of_ranks ? std::ranges::max(*sizes.of_ranks) : signature.bytes;
    request.blocks = sizes.of_ranks;
    request.sizes = sizes.of_pairs;
    request.ordered = signature.ordered;
    request.algorithm = policy.choice.name;
    // Who relays blocks of a total exchange has to know their sizes.
    request.direct = direct || (signature.kind == Kind::alltoall && signature.uneven);
    request.ports = policy.choice.ports;
    request.segmenting = policy.choice.segmenting;
    request.bounded = policy.bounded;
    request.robust = policy.robust;
    return request;
}

PlannedRanks plan_ranks(const network::GridView& view, const Places& places,
                        const Signature& signature, const BlockSizes& sizes, const Policy& policy) {
    if (policy.choice.name == "native")
        return {refused(places.size(), "asked for by ESPALIER_ALGORITHM"), {}};
    try {
        const Planning planning(view, places, signature, sizes, policy);
        PlannedRanks planned = planning.plan();
        planned.library = planning.time_of_own();
        planned.dealing = planning.dealing();
        return planned;
    } catch (const std::exception& error) {
        return {refused(places.size(), error.what()), {}};
    }
}

}  // namespace espalier::runtime
