#include "runtime/dealing.hpp"

#include "core/infinity.hpp"
#include "runtime/clock.hpp"
#include "runtime/failure.hpp"
#include "runtime/together.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

namespace espalier::runtime {

using schedule::Kind;

namespace {

/// The parcels of all ranks, one after the other. They are counted in words, since MPI counts no
/// further than an int.
struct Parcels {
    static constexpr std::size_t word = sizeof(std::uint64_t);
    std::string bytes;
    std::vector<int> counts;
    std::vector<int> offsets;
};

/// false: more than MPI can count.
bool add(const PlannedCollective& share, Parcels& parcels) {
    constexpr std::size_t word = Parcels::word;
    const std::size_t begin = parcels.bytes.size() / word;
    parcels.bytes += encode(share);
    parcels.bytes.resize((parcels.bytes.size() + word - 1) / word * word);
    const std::size_t end = parcels.bytes.size() / word;
    parcels.offsets.push_back(static_cast<int>(begin));
    parcels.counts.push_back(static_cast<int>(end - begin));
    return end <= static_cast<std::size_t>(std::numeric_limits<int>::max());
}

Parcels parcels_of(const std::vector<PlannedCollective>& shares) {
    Parcels parcels;
    if (std::all_of(shares.begin(), shares.end(),
                    [&](const PlannedCollective& share) { return add(share, parcels); }))
        return parcels;
    PlannedCollective none;
    none.refusal = "a plan too large to be sent";
    parcels = {};
    for (std::size_t rank = 0; rank < shares.size(); ++rank) add(none, parcels);
    return parcels;
}

std::vector<int> numbers(std::size_t count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// How many there are, at the leader; 0 elsewhere.
std::size_t ranks_at_leader(MPI_Comm comm) {
    int rank = 0;
    int size = 0;
    check_handled(PMPI_Comm_rank(comm, &rank));
    check_handled(PMPI_Comm_size(comm, &size));
    return rank == 0 ? static_cast<std::size_t>(size) : 0;
}

/// The leader may have been at work until then.
void scatter(const void* all, const std::vector<int>& counts, const std::vector<int>& offsets,
             MPI_Datatype type, void* own, int count, MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_handled(PMPI_Iscatterv(all, counts.data(), offsets.data(), type, own, count, type, 0,
                                 comm, &request));
    complete_asleep(request);
}

/// One round trip with each of `asked`, while those of `asking` are answered; for each of `asked`
/// its seconds.
std::vector<double> ask(const std::vector<int>& asked, const std::vector<int>& asking,
                        const Seat& seat) {
    const std::size_t count = asked.size() + asking.size();
    std::vector<char> letters(count);
    std::vector<MPI_Request> heard(count, MPI_REQUEST_NULL);
    const auto peer = [&](std::size_t k) {
        return seat.peer(k < asked.size() ? asked[k] : asking[k - asked.size()]);
    };
    for (std::size_t k = 0; k < count; ++k)
        check_handled(PMPI_Irecv(&letters[k], 1, MPI_CHAR, peer(k), seat.tag, seat.own, &heard[k]));
    std::vector<MPI_Request> sent(count, MPI_REQUEST_NULL);
    constexpr char letter = 0;
    const auto send = [&](std::size_t k) {
        check_handled(PMPI_Isend(&letter, 1, MPI_CHAR, peer(k), seat.tag, seat.own, &sent[k]));
    };
    std::vector<double> seconds(asked.size());
    for (std::size_t k = 0; k < asked.size(); ++k) {
        seconds[k] = PMPI_Wtime();
        send(k);
    }
    for (std::size_t left = count; left > 0; --left) {
        int which = 0;
        check_handled(
            PMPI_Waitany(static_cast<int>(count), heard.data(), &which, MPI_STATUS_IGNORE));
        const auto k = static_cast<std::size_t>(which);
        if (k < asked.size())
            seconds[k] = since(seconds[k]).value;
        else
            send(k);
    }
    check_handled(PMPI_Waitall(static_cast<int>(count), sent.data(), MPI_STATUSES_IGNORE));
    return seconds;
}

}  // namespace

double tell_leader(double own, MPI_Comm comm) {
    const std::size_t ranks = ranks_at_leader(comm);
    std::vector<double> all(ranks);
    check_handled(PMPI_Gatherv(&own, 1, MPI_DOUBLE, all.data(), std::vector<int>(ranks, 1).data(),
                               numbers(ranks).data(), MPI_DOUBLE, 0, comm));
    return all.empty() ? 0 : std::ranges::max(all);
}

void hear_leader(std::span<double> values, MPI_Comm comm) {
    const int count = static_cast<int>(values.size());
    const std::size_t ranks = ranks_at_leader(comm);
    const std::vector<double> all(values.begin(), values.end());
    scatter(all.data(), std::vector<int>(ranks, count), std::vector<int>(ranks, 0), MPI_DOUBLE,
            values.data(), count, comm);
}

BlockSizes gather_sizes(const Call& call, Kind kind, const Communicator& communicator) {
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const auto mine = call.sizes(communicator.membership());
    const int count = static_cast<int>(mine.size());
    std::vector<std::uint64_t> all(communicator.leads() ? ranks * mine.size() : 0);
    check_handled(PMPI_Gather(mine.data(), count, MPI_UINT64_T, all.data(), count, MPI_UINT64_T, 0,
                              call.comm));
    BlockSizes sizes;
    if (!communicator.leads()) return sizes;
    if (kind == Kind::alltoall) {
        auto pairs = std::make_shared<Matrix<Bytes>>(ranks, ranks);
        for (std::size_t from = 0; from < ranks; ++from)
            for (std::size_t to = 0; to < ranks; ++to)
                (*pairs)(from, to) = Bytes(all[from * ranks + to]);
        sizes.of_pairs = std::move(pairs);
    } else {
        sizes.of_ranks = std::make_shared<const std::vector<Bytes>>(all.begin(), all.end());
    }
    return sizes;
}

Bytes largest(const BlockSizes& sizes) {
    Bytes most;
    if (sizes.of_ranks)
        for (const Bytes each : *sizes.of_ranks) most = std::max(most, each);
    if (sizes.of_pairs)
        for (std::size_t from = 0; from < sizes.of_pairs->rows(); ++from)
            for (std::size_t to = 0; to < sizes.of_pairs->columns(); ++to)
                most = std::max(most, (*sizes.of_pairs)(from, to));
    return most;
}

PlannedCollective deal(MPI_Comm comm, const std::vector<PlannedCollective>& shares) {
    const Parcels parcels = parcels_of(shares);
    int count = 0;
    scatter(parcels.counts.data(), std::vector<int>(shares.size(), 1), numbers(shares.size()),
            MPI_INT, &count, 1, comm);
    std::string bytes(static_cast<std::size_t>(count) * Parcels::word, '\0');
    scatter(parcels.bytes.data(), parcels.counts, parcels.offsets, MPI_UINT64_T, bytes.data(),
            count, comm);
    return decode_planned(bytes);
}

std::vector<Stream> gather_streams(std::vector<Executor::Heard> heard,
                                   const Communicator& communicator, MPI_Comm comm) {
    constexpr std::size_t most_told = 64;
    constexpr std::size_t values = 3;
    if (heard.size() > most_told) {
        std::ranges::sort(heard, std::greater(), &Executor::Heard::last);
        heard.resize(most_told);
    }
    std::vector<double> own;
    for (const Executor::Heard& each : heard)
        own.insert(own.end(), {static_cast<double>(each.from), each.first, each.last});
    const auto ranks = static_cast<std::size_t>(communicator.size());
    const int count = static_cast<int>(own.size());
    std::vector<int> counts(communicator.leads() ? ranks : 0);
    check_handled(PMPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm));
    std::vector<int> offsets(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    std::vector<double> all(
        static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0)));
    check_handled(PMPI_Gatherv(own.data(), count, MPI_DOUBLE, all.data(), counts.data(),
                               offsets.data(), MPI_DOUBLE, 0, comm));
    std::vector<Stream> streams;
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
        const std::size_t begin = static_cast<std::size_t>(offsets[rank]);
        const std::size_t end = begin + static_cast<std::size_t>(counts[rank]);
        for (std::size_t k = begin; k + values <= end; k += values)
            streams.push_back(
                {static_cast<std::size_t>(all[k]), rank, Seconds(all[k + 1]), Seconds(all[k + 2])});
    }
    return streams;
}

void measure_round_trips(std::vector<RoundTrip>& trips, const Seat& seat) {
    constexpr int rounds = 4;
    constexpr std::size_t ranks_of_a_pair = 2;
    int count = static_cast<int>(trips.size());
    check_handled(PMPI_Bcast(&count, 1, MPI_INT, 0, seat.comm));
    std::vector<int> pairs;
    for (const RoundTrip& trip : trips)
        pairs.insert(pairs.end(), {static_cast<int>(trip.from), static_cast<int>(trip.to)});
    pairs.resize(ranks_of_a_pair * static_cast<std::size_t>(count));
    check_handled(PMPI_Bcast(pairs.data(), static_cast<int>(pairs.size()), MPI_INT, 0, seat.comm));
    std::vector<int> asked;
    std::vector<int> asking;
    std::vector<std::size_t> mine;
    for (std::size_t k = 0; k < pairs.size(); k += ranks_of_a_pair) {
        if (pairs[k] == seat.rank) {
            asked.push_back(pairs[k + 1]);
            mine.push_back(k / ranks_of_a_pair);
        }
        if (pairs[k + 1] == seat.rank) asking.push_back(pairs[k]);
    }
    std::vector<double> shortest(static_cast<std::size_t>(count), infinity);
    for (int round = 0; round < rounds; ++round) {
        const std::vector<double> seconds = ask(asked, asking, seat);
        for (std::size_t k = 0; k < mine.size(); ++k)
            shortest[mine[k]] = std::min(shortest[mine[k]], seconds[k]);
    }
    std::vector<double> all(shortest.size());
    check_handled(
        PMPI_Reduce(shortest.data(), all.data(), count, MPI_DOUBLE, MPI_MIN, 0, seat.comm));
    for (std::size_t k = 0; k < trips.size(); ++k) trips[k].time = Seconds(all[k]);
}

}  // namespace espalier::runtime
