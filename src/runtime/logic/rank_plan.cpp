#include "runtime/logic/rank_plan.hpp"

#include "core/error.hpp"
#include "plan/job.hpp"
#include "simulate/rank_fabric.hpp"

#include <algorithm>
#include <exception>

namespace espalier::runtime {

namespace {

std::vector<RankPlan::Cost> message_costs(const schedule::Schedule& schedule,
                                          const simulate::Fabric& fabric) {
    std::vector<RankPlan::Cost> costs;
    for (const schedule::Transfer& transfer : schedule.transfers) {
        const Bytes bytes = schedule.bytes_of(transfer);
        const std::size_t segments = schedule.segments_of(transfer);
        const auto cost_of = [&](std::size_t segment) {
            return fabric.cost(transfer.from, transfer.to,
                               schedule::segment_bytes(bytes, segments, segment));
        };
        costs.push_back({cost_of(0), cost_of(segments - 1)});
    }
    return costs;
}

}  // namespace

std::size_t RankPlan::segments() const {
    std::size_t most = 1;
    for (const schedule::Transfer& transfer : schedule.transfers)
        most = std::max(most, schedule.segments_of(transfer));
    return most;
}

RankPlan plan_job(const network::GridView& view,
                  const std::vector<network::GridView::Place>& places, std::size_t root,
                  Bytes bytes, const AlgorithmChoice& choice, bool spaced) {
    RankPlan result;
    if (choice.name == "native") {
        result.refusal = "asked for by ESPALIER_ALGORITHM";
        return result;
    }
    try {
        plan::JobRequest request;
        request.root = root;
        request.bytes = bytes;
        request.algorithm = choice.name;
        request.segmenting = choice.effective_segmenting();
        request.spaced = spaced;
        auto plan = plan::plan_job(plan::Job{&view, places}, request);
        if (!plan.ranks) {
            result.refusal = "the network tells only the time of some cluster's own broadcast";
            return result;
        }
        result.schedule = std::move(plan.ranks->schedule);
        result.predicted = plan.ranks->timeline.makespan;
        result.costs = message_costs(result.schedule, *simulate::make_rank_fabric(view, places));
    } catch (const std::exception& error) {
        result = RankPlan{};
        result.refusal = error.what();
    }
    return result;
}

schedule::Schedule fit(const schedule::Schedule& schedule, Bytes bytes) {
    schedule::Schedule fitted = schedule;
    const std::uint64_t planned = schedule.collective.bytes.value;
    if (bytes.value == planned) return fitted;
    fitted.collective.bytes = bytes;
    // Chunks of one message end where their share of it ends; whole numbers, and no overflow.
    __extension__ using Wide = unsigned __int128;
    std::uint64_t end = 0;
    std::uint64_t fitted_end = 0;
    for (schedule::Chunk& chunk : fitted.chunks) {
        if (chunk.control) continue;
        end += chunk.bytes.value;
        const auto share = static_cast<std::uint64_t>(Wide{end} * bytes.value / planned);
        chunk.bytes = Bytes(share - fitted_end);
        fitted_end = share;
    }
    return fitted;
}

}  // namespace espalier::runtime
