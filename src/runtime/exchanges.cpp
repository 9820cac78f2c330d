#include "runtime/exchanges.hpp"

#include "core/text.hpp"
#include "runtime/communicator.hpp"
#include "runtime/failure.hpp"
#include "runtime/logic/rank_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace espalier::runtime {

namespace {

using Plan = Exchanges::Exchange::Plan;

/// Everybody's row, at the leader.
Matrix<Bytes> gather_sizes(MPI_Comm comm, const Communicator& communicator,
                           const std::vector<std::uint64_t>& row) {
    const auto ranks = static_cast<std::size_t>(communicator.size());
    std::vector<std::uint64_t> all(communicator.leads() ? ranks * ranks : 0);
    check_handled(PMPI_Gather(row.data(), communicator.size(), MPI_UINT64_T, all.data(),
                              communicator.size(), MPI_UINT64_T, 0, comm));
    Matrix<Bytes> sizes(communicator.leads() ? ranks : 0, communicator.leads() ? ranks : 0);
    for (std::size_t from = 0; from < sizes.rows(); ++from)
        for (std::size_t to = 0; to < sizes.columns(); ++to)
            sizes(from, to) = Bytes(all[from * ranks + to]);
    return sizes;
}

/// Of all ranks, in one row.
struct Parcels {
    std::vector<std::uint64_t> words;
    std::vector<int> counts;
    std::vector<int> offsets;
};

Parcels pack(const std::vector<ExchangePart>& parts) {
    Parcels parcels;
    for (const ExchangePart& part : parts) {
        const auto words = encode(part);
        parcels.offsets.push_back(static_cast<int>(parcels.words.size()));
        parcels.counts.push_back(static_cast<int>(words.size()));
        parcels.words.insert(parcels.words.end(), words.begin(), words.end());
    }
    return parcels;
}

/// The leader's parts, each to its rank.
ExchangePart share(MPI_Comm comm, const std::vector<ExchangePart>& parts) {
    const Parcels parcels = pack(parts);
    int count = 0;
    check_handled(PMPI_Scatter(parcels.counts.data(), 1, MPI_INT, &count, 1, MPI_INT, 0, comm));
    std::vector<std::uint64_t> words(static_cast<std::size_t>(count));
    check_handled(PMPI_Scatterv(parcels.words.data(), parcels.counts.data(), parcels.offsets.data(),
                                MPI_UINT64_T, words.data(), count, MPI_UINT64_T, 0, comm));
    return decode_exchange_part(words);
}

void tell(const ExchangePart& part, const std::string& what, bool refused_by_choice,
          Process& process) {
    if (part.is_native()) {
        if (!refused_by_choice)
            process.log().warn(fmt::format("alltoall: {}; left to MPI", part.refusal));
        process.log().debug(what + ": native, " + part.refusal);
        return;
    }
    process.log().debug(fmt::format(
        "{}: {}, {} at once, predicted {}, bound {}", what, part.algorithm, part.ports,
        part.predicted ? format_seconds(*part.predicted) : "nothing", format_seconds(part.bound)));
}

/// `sizes` and `what` are the leader's.
std::shared_ptr<const Plan> make_plan(MPI_Comm comm, const Communicator& communicator,
                                      Process& process, const Matrix<Bytes>& sizes,
                                      const std::string& what) {
    std::vector<ExchangePart> parts;
    if (communicator.leads()) {
        const AlgorithmChoice choice = process.settings().algorithm_for(schedule::Kind::alltoall);
        parts = plan_exchange_parts(communicator.network().view(), communicator.places(), sizes,
                                    choice);
        for (ExchangePart& part : parts)
            part.tries_native = process.settings().planning == Settings::Planning::automatic;
        tell(parts.front(), what, choice.name == "native", process);
    }
    auto plan = std::make_shared<Plan>();
    plan->part = share(comm, parts);
    if (!plan->part.is_native())
        plan->program = compile(plan->part, static_cast<std::size_t>(communicator.rank()));
    return plan;
}

/// What there is until there is a plan, and where making one fails.
std::shared_ptr<const Plan> no_plan() {
    auto plan = std::make_shared<Plan>();
    plan->part.refusal = "no plan could be made";
    return plan;
}

}  // namespace

const Exchanges::Exchange* Exchanges::find(Bytes block) { return uniform_.find(size_class(block)); }

Exchanges::Exchange& Exchanges::of_blocks(MPI_Comm comm, const Communicator& communicator,
                                          Process& process, Bytes block) {
    const Bytes key = size_class(block);
    if (Exchange* known = uniform_.find(key)) return *known;
    const auto ranks = static_cast<std::size_t>(communicator.size());
    Exchange exchange;
    exchange.planned_bytes = key;
    exchange.begin(
        make_plan(comm, communicator, process, Matrix<Bytes>(ranks, ranks, key),
                  fmt::format("alltoall of blocks of {} among {}", format_bytes(key), ranks)));
    return uniform_.insert(key, std::move(exchange));
}

Exchanges::Exchange& Exchanges::of_sizes(MPI_Comm comm, const Communicator& communicator,
                                         Process& process, const std::vector<std::uint64_t>& row) {
    const bool is_first = !uneven_;
    if (is_first) {
        uneven_ = Exchange{};
        uneven_->begin(no_plan());
    }
    if (!std::has_single_bit(++uneven_->calls)) return *uneven_;
    // A plan that was refused is asked for once only: its network will not get better.
    if (!is_first && uneven_->plan->part.is_native()) return *uneven_;
    const Matrix<Bytes> sizes = gather_sizes(comm, communicator, row);
    ++uneven_->gatherings;
    for (std::size_t from = 0; from < sizes.rows(); ++from)
        for (std::size_t to = 0; to < sizes.columns(); ++to)
            uneven_->planned_bytes = std::max(uneven_->planned_bytes, sizes(from, to));
    auto plan =
        make_plan(comm, communicator, process, sizes,
                  fmt::format("alltoallv, call {}, among {}", uneven_->calls, communicator.size()));
    // A trial that is under way goes on with the new plan.
    if (is_first || plan->part.is_native())
        uneven_->begin(std::move(plan));
    else
        uneven_->plan = std::move(plan);
    return *uneven_;
}

}  // namespace espalier::runtime
