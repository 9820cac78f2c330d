#include "core/text.hpp"
#include "runtime/logic/found_plan.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/stall.hpp"
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
        Shares shares = compiled(signature_.direct);
        if (shares.front().staging_bytes <= policy_.memory.value) return shares;
        // Blocks that nobody relays need no room on the way.
        if (!signature_.direct && can_go_direct(signature_.kind) && policy_.choice.name == "auto") {
            Shares direct = compiled(true);
            if (direct.front().staging_bytes <= policy_.memory.value) return direct;
        }
        return refused(ranks, fmt::format("a rank would have to stage {}, more than "
                                          "ESPALIER_MEMORY ({})",
                                          format_bytes(Bytes(shares.front().staging_bytes)),
                                          format_bytes(policy_.memory)));
    }

private:
    [[nodiscard]] Shares compiled(bool direct) const {
        const auto fabric = simulate::make_rank_fabric(*job_.view, job_.places);
        const FoundPlan found = find_plan({job_, signature_, sizes_, policy_, direct});
        PlannedCollective promise;
        promise.algorithm = found.schedule.algorithm;
        promise.predicted = found.predicted;
        promise.bound = found.bound;
        for (const schedule::Transfer& transfer : found.schedule.transfers)
            promise.segments = std::max(promise.segments, found.schedule.segments_of(transfer));
        if (const std::string reason = decide(promise, *fabric); !reason.empty())
            return refused(job_.places.size(), reason);
        auto programs = compile_ranks(found.schedule, *fabric, policy_.eager);
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
        if (signature_.exact || !policy_.reproducible) {
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
        // What a library does is taken at its best: over real networks it is far slower than that.
        if (*promise.predicted >= own) return prediction;
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
