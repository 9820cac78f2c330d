#include "runtime/all_gathers.hpp"

#include "core/text.hpp"
#include "runtime/communicator.hpp"
#include "runtime/failure.hpp"
#include "runtime/logic/rank_plan.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

namespace espalier::runtime {

namespace {

using Plan = AllGathers::AllGather::Plan;

GatherPart make_part(const Communicator& communicator, Process& process, Bytes block) {
    const AlgorithmChoice choice = process.settings().algorithm_for(schedule::Kind::allgather);
    const bool on_trial = process.settings().planning == Settings::Planning::automatic;
    GatherPart part = plan_gather_part(communicator.network().view(), communicator.places(), block,
                                       choice, on_trial && choice.name == "auto");
    part.tries_native = on_trial;
    const std::string what =
        fmt::format("allgather of {} from each of {}", format_bytes(block), communicator.size());
    if (part.is_native())
        process.log().debug(what + ": native, " + part.refusal);
    else
        process.log().debug(
            fmt::format("{}: {}, predicted {}, bound {}", what, part.algorithm,
                        part.predicted ? format_seconds(*part.predicted) : "nothing",
                        format_seconds(part.bound)));
    return part;
}

/// The leader's, everywhere.
GatherPart share(MPI_Comm comm, const Communicator& communicator, GatherPart part) {
    std::vector<std::uint64_t> words;
    if (communicator.leads()) words = encode(part);
    std::uint64_t length = words.size();
    check_handled(PMPI_Bcast(&length, 1, MPI_UINT64_T, 0, comm));
    words.resize(length);
    check_handled(PMPI_Bcast(words.data(), static_cast<int>(length), MPI_UINT64_T, 0, comm));
    return communicator.leads() ? std::move(part) : decode_gather_part(words);
}

}  // namespace

const AllGathers::AllGather* AllGathers::find(Bytes block) {
    return plans_.find(size_class(block));
}

AllGathers::AllGather& AllGathers::of_blocks(MPI_Comm comm, const Communicator& communicator,
                                             Process& process, Bytes block) {
    const Bytes key = size_class(block);
    if (AllGather* known = plans_.find(key)) return *known;
    auto plan = std::make_shared<Plan>();
    plan->part = share(comm, communicator,
                       communicator.leads() ? make_part(communicator, process, key) : GatherPart{});
    if (!plan->part.is_native())
        plan->program = compile(plan->part, static_cast<std::size_t>(communicator.rank()));
    AllGather gather;
    gather.planned_bytes = key;
    gather.begin(std::move(plan));
    return plans_.insert(key, std::move(gather));
}

}  // namespace espalier::runtime
