#include "core/text.hpp"
#include "runtime/logic/found_plan.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/stall.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <exception>
#include <utility>

namespace espalier::runtime {

namespace {

using Places = std::vector<network::GridView::Place>;
using Shares = std::vector<PlannedCollective>;
using schedule::Kind;

/// Predictions of real networks are within about a quarter of the truth; and each plan that is
/// tried costs four calls.
constexpr plan::Shortlist tried{.most = 3, .within = 1.25};

/// What a library does is taken at its best, which it is rarely: it chooses by size alone, and over
/// real networks many messages at once are slower than predicted. So a plan may take a little
/// longer; more so where links are shared, over which that is far slower still (of 1 MiB between 25
/// real hosts libraries' best all-reduce was predicted to take 235 ms, and took 720).
constexpr double as_good = 1.05;
constexpr double as_good_over_shared_links = 1.25;

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

class Planning {
public:
    Planning(const network::GridView& view, const Places& places, const Signature& signature,
             const BlockSizes& sizes, const Policy& policy)
        : job_{&view, places}, signature_(signature), sizes_(sizes), policy_(policy) {}

    [[nodiscard]] Shares plan() const {
        const std::size_t ranks = job_.places.size();
        if (is_of_blocks_for_all(signature_.kind) && ranks > most_ranks_of_blocks)
            return refused(ranks, fmt::format("more than {} ranks", most_ranks_of_blocks));
        Shares shares = best(signature_.direct);
        if (fits(shares)) return shares;
        // Blocks that nobody relays need no room on the way.
        if (!signature_.direct && can_go_direct(signature_.kind) && policy_.choice.name == "auto")
            if (Shares direct = best(true); fits(direct)) return direct;
        return refused(ranks, fmt::format("a rank would have to stage {}, more than "
                                          "ESPALIER_MEMORY ({})",
                                          format_bytes(Bytes(shares.front().staging_bytes)),
                                          format_bytes(policy_.memory)));
    }

private:
    [[nodiscard]] bool fits(const Shares& shares) const {
        return shares.front().staging_bytes <= policy_.memory.value;
    }

    /// Whether what is planned is tried beside MPI's own: where results are the same anyway.
    [[nodiscard]] bool tries() const {
        return policy_.planning != Settings::Planning::always &&
               (signature_.exact || !policy_.reproducible);
    }

    /// Of the best plan that ranks can follow, with what is tried beside it; where there is none,
    /// of the best one. Where blocks' sizes become known now and then, plans follow each other, and
    /// there is one at a time.
    [[nodiscard]] Shares best(bool direct) const {
        const bool several = tries() && policy_.choice.name == "auto" && !signature_.direct;
        const auto fabric = simulate::make_rank_fabric(*job_.view, job_.places);
        const std::vector<FoundPlan> found = find_plans(
            {job_, signature_, sizes_, policy_, direct, several ? tried : plan::Shortlist{}});
        Shares shares;
        Shares unusable;
        for (const FoundPlan& plan : found) {
            Shares next = compiled(plan, *fabric);
            if (next.front().is_native() || !fits(next)) {
                if (unusable.empty()) unusable = std::move(next);
            } else if (shares.empty()) {
                shares = std::move(next);
            } else {
                for (std::size_t rank = 0; rank < shares.size(); ++rank)
                    shares[rank].others.push_back(std::move(next[rank]));
            }
        }
        return shares.empty() ? unusable : shares;
    }

    [[nodiscard]] Shares compiled(const FoundPlan& found, const simulate::Fabric& fabric) const {
        PlannedCollective promise;
        promise.algorithm = found.schedule.algorithm;
        promise.predicted = found.predicted;
        promise.bound = found.bound;
        for (const schedule::Transfer& transfer : found.schedule.transfers)
            promise.segments = std::max(promise.segments, found.schedule.segments_of(transfer));
        if (const std::string reason = decide(promise, fabric); !reason.empty())
            return refused(job_.places.size(), reason);
        // Never a wrong result, whatever a planner does.
        if (const auto violation = schedule::find_violation(found.schedule))
            return refused(job_.places.size(), "no valid plan: " + violation->what);
        auto programs = compile_ranks(found.schedule, fabric, policy_.eager, found.timeline);
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

    /// Whether the plan is used at once, tried, or not used: then why.
    [[nodiscard]] std::string decide(PlannedCollective& promise,
                                     const simulate::Fabric& fabric) const {
        if (policy_.planning == Settings::Planning::always) {
            promise.choice = "asked for by ESPALIER_PLAN";
            return "";
        }
        if (tries()) {
            promise.tries_native = true;
            return "";
        }
        if (policy_.choice.name != "auto") {
            promise.choice = "asked for by ESPALIER_ALGORITHM";
            return "";
        }
        assert(promise.predicted);
        const Seconds own = library_time(fabric, signature_, sizes_);
        std::string prediction =
            fmt::format("predicted: planned {}, MPI's own about {}",
                        format_seconds(*promise.predicted), format_seconds(own));
        const bool shares = !job_.view->shared().empty();
        if (*promise.predicted > own * (shares ? as_good_over_shared_links : as_good))
            return prediction;
        promise.choice = prediction;
        return "";
    }

    const plan::Job job_;
    const Signature& signature_;
    const BlockSizes& sizes_;
    const Policy& policy_;
};

}  // namespace

Shares plan_ranks(const network::GridView& view, const Places& places, const Signature& signature,
                  const BlockSizes& sizes, const Policy& policy) {
    if (policy.choice.name == "native")
        return refused(places.size(), "asked for by ESPALIER_ALGORITHM");
    try {
        return Planning(view, places, signature, sizes, policy).plan();
    } catch (const std::exception& error) {
        return refused(places.size(), error.what());
    }
}

}  // namespace espalier::runtime
