#include "espalier/ring.hpp"

#include "core/environment.hpp"
#include "core/wire.hpp"
#include "network/json.hpp"
#include "runtime/host_name.hpp"
#include "runtime/logic/settings.hpp"
#include "slices/logic/slice_planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier {

namespace {

using slices::RingSlices;
using slices::SlicePlanner;
using Outlook = SlicePlanner::Outlook;

/// Checks a call whose errors are returned because the program's error handler returns them.
void check(int code) {
    if (code != MPI_SUCCESS) throw RingError(fmt::format("an MPI call failed with {}", code));
}

int rank_in(MPI_Comm comm) {
    int rank = 0;
    check(MPI_Comm_rank(comm, &rank));
    return rank;
}

int size_of(MPI_Comm comm) {
    int size = 0;
    check(MPI_Comm_size(comm, &size));
    return size;
}

/// The name of this rank's host, or what it shall believe it to be.
std::string own_host(int rank) {
    if (auto told = runtime::test_host(environment, static_cast<std::size_t>(rank)))
        return *std::move(told);
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    check(MPI_Get_processor_name(name.data(), &length));
    return {name.data(), static_cast<std::size_t>(length)};
}

/// Everybody's host, by rank, at rank 0.
std::vector<std::string> gather_hosts(MPI_Comm comm, int rank, int size) {
    const runtime::HostName mine(own_host(rank));
    std::vector<runtime::HostName> all(rank == 0 ? static_cast<std::size_t>(size) : 1);
    constexpr int length = sizeof mine;
    check(MPI_Gather(&mine, length, MPI_BYTE, all.data(), length, MPI_BYTE, 0, comm));
    std::vector<std::string> hosts;
    for (const runtime::HostName& name : all) hosts.push_back(name.text());
    return hosts;
}

/// Gives all ranks what rank 0 makes; if it throws, all throw.
Outlook from_leader(MPI_Comm comm, int rank, const std::function<Outlook()>& make) {
    Outlook made;
    std::string error;
    const auto pass = [&](auto& wire) {
        wire(error, made.slices.ranks, made.slices.counts, made.slices.step_time,
             made.step_time_now, made.time_of_moving, made.pays);
    };
    std::string bytes;
    if (rank == 0) {
        try {
            made = make();
        } catch (const std::exception& caught) {
            error = caught.what();
        }
        WireWriter to;
        pass(to);
        bytes = to.bytes();
    }
    std::uint64_t length = bytes.size();
    check(MPI_Bcast(&length, 1, MPI_UINT64_T, 0, comm));
    bytes.resize(length);
    check(MPI_Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, 0, comm));
    WireReader from(bytes);
    pass(from);
    if (!error.empty()) throw RingError(error);
    return made;
}

struct FreeCommunicator {
    void operator()(MPI_Comm* comm) const {
        MPI_Comm_free(comm);
        delete comm;
    }
};
/// An owned communicator; empty in place of MPI_COMM_NULL.
using OwnedCommunicator = std::unique_ptr<MPI_Comm, FreeCommunicator>;

OwnedCommunicator owned(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return nullptr;
    return OwnedCommunicator(new MPI_Comm(comm));
}

OwnedCommunicator duplicate(MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm, &copy));
    return owned(copy);
}

/// How this rank's part of the columns moves when slices change: what it sends to, and receives
/// from, each of `ranks` ranks.
RingMove move_of(const RingSlices& before, const RingSlices& after, int rank, int ranks) {
    const std::vector<int> none(static_cast<std::size_t>(ranks), 0);
    RingMove move{none, none, none, none};
    int sent = 0;
    int received = 0;
    // A rank's columns are one run, and so are those that go from it to another rank.
    for (const auto& part : moves_between(before, after)) {
        if (part.from == rank) {
            move.send_counts[static_cast<std::size_t>(part.to)] = part.count;
            move.send_displacements[static_cast<std::size_t>(part.to)] = sent;
            sent += part.count;
        }
        if (part.to == rank) {
            move.receive_counts[static_cast<std::size_t>(part.from)] = part.count;
            move.receive_displacements[static_cast<std::size_t>(part.from)] = received;
            received += part.count;
        }
    }
    return move;
}

}  // namespace

class Ring::State {
public:
    State(MPI_Comm comm, const RingJob& job)
        : all(duplicate(comm)), rank(rank_in(comm)), size(size_of(comm)) {
        const auto hosts = gather_hosts(*all, rank, size);
        take(from_leader(*all, rank, [&] {
                 RingJob own = job;
#ifdef ESPALIER_MPI_SMPI
                 if (job.sharing == LinkSharing::automatic) own.sharing = LinkSharing::round_trips;
#endif
                 planner.emplace(network::read_network(job.network), hosts, own,
                                 Limits{.time = Seconds(job.planning_seconds)});
                 return Outlook{.slices = planner->plan()};
             }).slices);
        move = move_of(slices, slices, rank, size);
    }

    void take(RingSlices next) {
        slices = std::move(next);
        displacements.assign(slices.counts.size(), 0);
        std::exclusive_scan(slices.counts.begin(), slices.counts.end(), displacements.begin(), 0);
        const auto found = std::ranges::find(slices.ranks, rank);
        const bool is_in = found != slices.ranks.end();
        place = is_in ? static_cast<int>(found - slices.ranks.begin()) : MPI_PROC_NULL;
        MPI_Comm next_ring = MPI_COMM_NULL;
        check(MPI_Comm_split(*all, is_in ? 0 : MPI_UNDEFINED, is_in ? place : 0, &next_ring));
        ring = owned(next_ring);
    }

    OwnedCommunicator all;
    int rank;
    int size;
    std::optional<SlicePlanner> planner;  ///< the leader's
    RingSlices slices;
    std::vector<int> displacements;
    int place = MPI_PROC_NULL;
    OwnedCommunicator ring;
    RingMove move;
};

Ring::Ring(MPI_Comm comm, const RingJob& job) : state_(std::make_unique<State>(comm, job)) {}
Ring::~Ring() = default;
Ring::Ring(Ring&& other) noexcept = default;
Ring& Ring::operator=(Ring&& other) noexcept = default;

bool Ring::takes_part() const { return place() != MPI_PROC_NULL; }
MPI_Comm Ring::communicator() const { return state_->ring ? *state_->ring : MPI_COMM_NULL; }
int Ring::size() const { return static_cast<int>(counts().size()); }
int Ring::place() const { return state_->place; }
int Ring::successor() const { return takes_part() ? (place() + 1) % size() : MPI_PROC_NULL; }
int Ring::predecessor() const {
    return takes_part() ? (place() + size() - 1) % size() : MPI_PROC_NULL;
}
int Ring::count() const { return takes_part() ? counts()[static_cast<std::size_t>(place())] : 0; }
int Ring::first() const {
    return takes_part() ? displacements()[static_cast<std::size_t>(place())] : 0;
}
const std::vector<int>& Ring::counts() const { return state_->slices.counts; }
const std::vector<int>& Ring::displacements() const { return state_->displacements; }
const std::vector<int>& Ring::ranks() const { return state_->slices.ranks; }
double Ring::step_time() const { return state_->slices.step_time; }
const RingMove& Ring::move() const { return state_->move; }

RingChange Ring::adapt(double seconds_per_column, std::int64_t steps_left,
                       double bytes_per_column) {
    State& state = *state_;
    std::vector<double> seconds(state.rank == 0 ? static_cast<std::size_t>(state.size) : 1);
    check(MPI_Gather(&seconds_per_column, 1, MPI_DOUBLE, seconds.data(), 1, MPI_DOUBLE, 0,
                     *state.all));
    Outlook outlook = from_leader(*state.all, state.rank, [&] {
        return state.planner->look_ahead(state.slices, seconds, static_cast<double>(steps_left),
                                         bytes_per_column);
    });
    const RingChange change{outlook.pays, outlook.step_time_now, outlook.slices.step_time,
                            outlook.time_of_moving};
    if (outlook.pays) {
        state.move = move_of(state.slices, outlook.slices, state.rank, state.size);
        state.take(std::move(outlook.slices));
    }
    return change;
}

void Ring::move_columns(const void* old_slice, void* new_slice, int elements_per_column,
                        MPI_Datatype type) const {
    MPI_Datatype column = MPI_DATATYPE_NULL;
    check(MPI_Type_contiguous(elements_per_column, type, &column));
    check(MPI_Type_commit(&column));
    const RingMove& parts = move();
    const int code = MPI_Alltoallv(
        old_slice, parts.send_counts.data(), parts.send_displacements.data(), column, new_slice,
        parts.receive_counts.data(), parts.receive_displacements.data(), column, *state_->all);
    MPI_Type_free(&column);
    check(code);
}

}  // namespace espalier
