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
#include <optional>
#include <utility>

namespace espalier {

namespace {

using slices::RingSlices;
using slices::SlicePlanner;

/// Where the program's error handler returns.
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
    const auto told = runtime::test_host(environment, static_cast<std::size_t>(rank));
    if (told) return *told;
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

/// What rank 0 makes, everywhere; what it throws, everywhere too.
std::string from_leader(MPI_Comm comm, int rank, const std::function<std::string()>& make) {
    std::string bytes;
    std::array<std::uint64_t, 2> head{0, 0};  // whether it failed, and how many bytes follow
    if (rank == 0) {
        try {
            bytes = make();
        } catch (const std::exception& error) {
            bytes = error.what();
            head[0] = 1;
        }
        head[1] = bytes.size();
    }
    check(MPI_Bcast(head.data(), 2, MPI_UINT64_T, 0, comm));
    bytes.resize(head[1]);
    check(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, comm));
    if (head[0] != 0) throw RingError(bytes);
    return bytes;
}

/// To a writer, or from a reader.
void pass_slices(auto& wire, auto& slices) { wire(slices.ranks, slices.counts, slices.step_time); }

slices::SliceOrder order_of(RingOrder order) {
    switch (order) {
        case RingOrder::planned:
            return slices::SliceOrder::planned;
        case RingOrder::by_speed:
            return slices::SliceOrder::by_speed;
        case RingOrder::random:
            return slices::SliceOrder::random;
    }
    throw RingError("ring: no such order");
}

bool is_by_round_trips(LinkSharing sharing) {
#ifdef ESPALIER_MPI_SMPI
    return sharing != LinkSharing::alike;
#else
    return sharing == LinkSharing::round_trips;
#endif
}

slices::SliceJob job_of(const RingJob& job) {
    slices::SliceJob result;
    result.work = job.work;
    result.exchange = job.exchange_bytes;
    result.columns = job.columns;
    result.order = order_of(job.order);
    result.limits.time = Seconds(job.planning_seconds);
    result.seed = job.seed;
    result.by_round_trips = is_by_round_trips(job.sharing);
    return result;
}

/// A communicator that is freed with its owner.
class OwnedCommunicator {
public:
    OwnedCommunicator() = default;
    explicit OwnedCommunicator(MPI_Comm comm) : comm_(comm) {}
    OwnedCommunicator(const OwnedCommunicator&) = delete;
    OwnedCommunicator& operator=(const OwnedCommunicator&) = delete;
    OwnedCommunicator(OwnedCommunicator&& other) noexcept
        : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
    OwnedCommunicator& operator=(OwnedCommunicator&& other) noexcept {
        std::swap(comm_, other.comm_);
        return *this;
    }
    ~OwnedCommunicator() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }
    [[nodiscard]] MPI_Comm get() const { return comm_; }

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

MPI_Comm duplicate(MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    check(MPI_Comm_dup(comm, &copy));
    return copy;
}

}  // namespace

class Ring::State {
public:
    State(MPI_Comm comm, const RingJob& job)
        : all_(duplicate(comm)), rank_(rank_in(comm)), all_size_(size_of(comm)) {
        const auto hosts = gather_hosts(all_.get(), rank_, all_size_);
        const std::string bytes = from_leader(all_.get(), rank_, [&] {
            planner_.emplace(network::read_network(job.network), job.network, hosts, job_of(job));
            const RingSlices planned = planner_->plan();
            WireWriter to;
            pass_slices(to, planned);
            return to.bytes();
        });
        WireReader from(bytes);
        RingSlices slices;
        pass_slices(from, slices);
        take(std::move(slices));
        move_ = move_of_slices(slices_);
    }

    RingChange adapt(double seconds, std::int64_t steps_left, double column_bytes) {
        std::vector<double> all(rank_ == 0 ? static_cast<std::size_t>(all_size_) : 1);
        check(MPI_Gather(&seconds, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, all_.get()));
        const std::string bytes = from_leader(all_.get(), rank_, [&] {
            const auto outlook =
                planner_->look_ahead(slices_, all, static_cast<double>(steps_left), column_bytes);
            WireWriter to;
            to(outlook.pays, outlook.step_time_now, outlook.time_of_moving);
            pass_slices(to, outlook.slices);
            return to.bytes();
        });
        WireReader from(bytes);
        RingChange change;
        RingSlices slices;
        from(change.sliced_anew, change.step_time_before, change.moving_time);
        pass_slices(from, slices);
        change.step_time_after = slices.step_time;
        if (change.sliced_anew) {
            move_ = move_of_slices(slices);
            take(std::move(slices));
        }
        return change;
    }

    void move_columns(const void* from, void* to, int elements, MPI_Datatype type) const {
        MPI_Datatype column = MPI_DATATYPE_NULL;
        check(MPI_Type_contiguous(elements, type, &column));
        check(MPI_Type_commit(&column));
        const int code = MPI_Alltoallv(
            from, move_.send_counts.data(), move_.send_displacements.data(), column, to,
            move_.receive_counts.data(), move_.receive_displacements.data(), column, all_.get());
        MPI_Type_free(&column);
        check(code);
    }

    [[nodiscard]] const RingSlices& slices() const { return slices_; }
    [[nodiscard]] const std::vector<int>& displacements() const { return displacements_; }
    [[nodiscard]] MPI_Comm communicator() const { return ring_.get(); }
    [[nodiscard]] std::optional<std::size_t> place() const { return place_; }
    [[nodiscard]] const RingMove& move() const { return move_; }

private:
    void take(RingSlices slices) {
        slices_ = std::move(slices);
        displacements_ = slices_.displacements();
        const auto found = std::find(slices_.ranks.begin(), slices_.ranks.end(), rank_);
        place_.reset();
        if (found != slices_.ranks.end())
            place_ = static_cast<std::size_t>(found - slices_.ranks.begin());
        MPI_Comm ring = MPI_COMM_NULL;
        check(MPI_Comm_split(all_.get(), place_ ? 0 : MPI_UNDEFINED,
                             place_ ? static_cast<int>(*place_) : 0, &ring));
        ring_ = OwnedCommunicator(ring);
    }

    /// From the slices as they are to others: where it goes on either side.
    [[nodiscard]] RingMove move_of_slices(const RingSlices& next) const {
        const auto all_moves = moves_between(slices_, next);
        const std::vector<int> none(static_cast<std::size_t>(all_size_), 0);
        RingMove move{none, none, none, none};
        int sent = 0;
        int received = 0;
        // A rank's columns are one run, and so are those that go from it to another rank.
        for (const auto& part : all_moves) {
            if (part.from == rank_) {
                move.send_counts[static_cast<std::size_t>(part.to)] = part.count;
                move.send_displacements[static_cast<std::size_t>(part.to)] = sent;
                sent += part.count;
            }
            if (part.to == rank_) {
                move.receive_counts[static_cast<std::size_t>(part.from)] = part.count;
                move.receive_displacements[static_cast<std::size_t>(part.from)] = received;
                received += part.count;
            }
        }
        return move;
    }

    OwnedCommunicator all_;
    int rank_;
    int all_size_;
    std::optional<SlicePlanner> planner_;  ///< the leader's
    RingSlices slices_;
    std::vector<int> displacements_;
    std::optional<std::size_t> place_;
    OwnedCommunicator ring_;
    RingMove move_;
};

Ring::Ring(MPI_Comm comm, const RingJob& job) : state_(std::make_unique<State>(comm, job)) {}
Ring::~Ring() = default;
Ring::Ring(Ring&& other) noexcept = default;
Ring& Ring::operator=(Ring&& other) noexcept = default;

bool Ring::takes_part() const { return state_->place().has_value(); }
MPI_Comm Ring::communicator() const { return state_->communicator(); }
int Ring::size() const { return static_cast<int>(counts().size()); }
int Ring::place() const {
    return takes_part() ? static_cast<int>(*state_->place()) : MPI_PROC_NULL;
}
int Ring::successor() const { return takes_part() ? (place() + 1) % size() : MPI_PROC_NULL; }
int Ring::predecessor() const {
    return takes_part() ? (place() + size() - 1) % size() : MPI_PROC_NULL;
}
int Ring::count() const { return takes_part() ? counts()[*state_->place()] : 0; }
int Ring::first() const { return takes_part() ? displacements()[*state_->place()] : 0; }
const std::vector<int>& Ring::counts() const { return state_->slices().counts; }
const std::vector<int>& Ring::displacements() const { return state_->displacements(); }
const std::vector<int>& Ring::ranks() const { return state_->slices().ranks; }
double Ring::step_time() const { return state_->slices().step_time; }

RingChange Ring::adapt(double seconds_per_column, std::int64_t steps_left,
                       double bytes_per_column) {
    return state_->adapt(seconds_per_column, steps_left, bytes_per_column);
}
const RingMove& Ring::move() const { return state_->move(); }
void Ring::move_columns(const void* old_slice, void* new_slice, int elements_per_column,
                        MPI_Datatype type) const {
    state_->move_columns(old_slice, new_slice, elements_per_column, type);
}

}  // namespace espalier
