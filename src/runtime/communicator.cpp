#include "runtime/communicator.hpp"

#include "runtime/dealing.hpp"
#include "runtime/failure.hpp"
#include "runtime/logic/placement.hpp"
#include "runtime/topology.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace espalier::runtime {

namespace {

/// The rank in MPI_COMM_WORLD of each (of its own side of an inter-communicator); MPI_UNDEFINED for
/// those that are not of this rank's world: started later, or by another job.
std::vector<int> world_ranks(MPI_Comm comm) {
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    check_handled(PMPI_Comm_group(comm, &group));
    check_handled(PMPI_Comm_group(MPI_COMM_WORLD, &world));
    int size = 0;
    check_handled(PMPI_Group_size(group, &size));
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<int> in_world(ranks.size());
    check_handled(PMPI_Group_translate_ranks(group, size, ranks.data(), world, in_world.data()));
    check_handled(PMPI_Group_free(&group));
    check_handled(PMPI_Group_free(&world));
    return in_world;
}

/// Whether it says nothing of a duplicate: that it is duplicated itself, or came when all tags were
/// in use.
bool is_of_itself(Verdict verdict) {
    return verdict == Verdict::duplicated || verdict == Verdict::no_tags;
}

/// Whether some rank is of another world. If one rank finds strangers, all do, since each is of one
/// world only.
bool has_strangers(const std::vector<int>& in_world) {
    return std::find(in_world.begin(), in_world.end(), MPI_UNDEFINED) != in_world.end();
}

}  // namespace

Communicator& Communicator::of(MPI_Comm comm, Process& process) {
    void* attribute = nullptr;
    int found = 0;
    check_handled(PMPI_Comm_get_attr(comm, process.keyval(), &attribute, &found));
    if (found != 0 && static_cast<Communicator*>(attribute)->was_copied_for_others(comm)) {
        check_handled(PMPI_Comm_delete_attr(comm, process.keyval()));
        found = 0;
    }
    if (found == 0) {
        attribute = new Communicator(comm, process);
        check_handled(PMPI_Comm_set_attr(comm, process.keyval(), attribute));
    }
    auto& communicator = *static_cast<Communicator*>(attribute);
    if (!communicator.is_planned() && !process.records())
        known_native.store(comm, std::memory_order_relaxed);
    return communicator;
}

Communicator::Communicator(MPI_Comm comm, Process& process) {
    check_handled(PMPI_Comm_rank(comm, &rank_));
    check_handled(PMPI_Comm_size(comm, &size_));
    world_ranks_ = world_ranks(comm);
    is_world_ = comm == MPI_COMM_WORLD;
    verdict_ = judge(comm, process);
}

/// A duplicate has the same ranks in the same places, and tags of its own.
Communicator::Communicator(const Communicator& other)
    : rank_(other.rank_),
      size_(other.size_),
      world_ranks_(other.world_ranks_),
      settings_(other.settings_),
      is_copy_(true),
      verdict_(is_of_itself(other.verdict_) ? Verdict::planned : other.verdict_),
      network_(other.network_),
      places_(other.places_),
      believed_(other.believed_),
      learning_(other.learning_),
      plans_(other.plans_.for_duplicate()),
      wants_channel_(other.wants_channel_ || other.channel_ != nullptr) {}

bool Communicator::was_copied_for_others(MPI_Comm comm) {
    if (!is_copy_) return false;
    is_copy_ = false;
    return world_ranks(comm) != world_ranks_;
}

Communicator::Verdict Communicator::judge(MPI_Comm comm, const Process& process) const {
    int between_groups = 0;
    check_handled(PMPI_Comm_test_inter(comm, &between_groups));
    if (between_groups != 0) return Verdict::intercommunicator;
    if (size_ == 1) return Verdict::alone;
    if (has_strangers(world_ranks_)) return Verdict::several_worlds;
    return process.verdict().value_or(Verdict::planned);
}

void Communicator::join(MPI_Comm comm, Process& process) {
    if (joined_ || !is_planned()) return;
    // The leader's word counts: others know neither the network nor its tags. Whether a buffer is a
    // GPU's, one rank alone would know, and all have to agree.
    const double devices = tell_leader(process.device_memory().is_in_use() ? 1 : 0, comm);
    if (leads()) {
        const auto lock = lock_planning();
        verdict_ = lead(process);
        if (is_planned() && devices != 0) verdict_ = Verdict::devices;
    }
    std::array word{static_cast<double>(verdict_), static_cast<double>(block_)};
    hear_leader(word, comm);
    joined_ = true;
    verdict_ = static_cast<Verdict>(word[0]);
    block_ = static_cast<Tags::Block>(word[1]);
    if (!is_planned()) release(process);
}

Communicator::Verdict Communicator::lead(Process& process) {
    const Verdict verdict = locate(process);
    if (verdict != Verdict::planned) return verdict;
    if (is_world_) {
        block_ = Tags::first;
        return process.tags().has_some() ? Verdict::planned : Verdict::no_tags;
    }
    led_ = process.tags().take(world_ranks_.front());
    if (!led_) return Verdict::no_tags;
    block_ = *led_;
    return verdict;
}

Communicator::Verdict Communicator::locate(Process& process) {
    if (places_.empty()) {
        network_ = process.network();
        if (!network_) return Verdict::no_network;
        Placement placement = place_hosts(network_->view(), process.hosts_of(world_ranks_));
        if (!placement.missing.empty()) return Verdict::unknown_host;
        places_ = std::move(placement.places);
        if (const RememberedChanges* changes = process.changes()) believed_ = changes->network();
    }
    const bool planned_anyway = settings(process).planning == Settings::Planning::always;
    return in_one_leaf(places_) && !planned_anyway ? Verdict::one_cluster : Verdict::planned;
}

Communicator::Verdict Communicator::fixed_verdict(MPI_Comm comm, const Process& process) const {
    return verdict_ == Verdict::duplicated ? verdict_ : judge(comm, process);
}

void Communicator::complete_begun(Process& process) {
    plans_.settle(process);
    if (channel_) process.progress().poll_until([&] { return channel_->is_idle(); });
}

void Communicator::steer(std::shared_ptr<const Settings> settings, MPI_Comm comm,
                         Process& process) {
    settings_ = std::move(settings);
    plans_.begin_anew();
    release(process);
    joined_ = false;
    verdict_ =
        settings_->planning == Settings::Planning::never ? Verdict::asked : judge(comm, process);
    known_native.compare_exchange_strong(comm, MPI_COMM_NULL);
}

void Communicator::leave(Process& process) {
    if (!is_planned()) return;
    verdict_ = Verdict::duplicated;
    release(process);
}

void Communicator::release(Process& process) {
    if (led_) process.tags().give_back(*led_);
    led_.reset();
}

std::shared_ptr<Channel> Communicator::channel_of_next(Process& process) {
    if (channel_ || !is_planned() || !process.common().progresses) return channel_;
    if (!is_world_)
        wants_channel_ = true;
    else if (process.tags().has_some())
        channel_ = std::make_shared<Channel>(process.common().own, world_ranks_);
    return channel_;
}

void Communicator::catch_up(const Call& call, Process& process) {
    if (!is_planned()) return;
    open_channel(call.comm, process);
    plans_.settle(process);
    if (call.is_among_neighbours()) meet_neighbours(call.comm, process);
}

void Communicator::meet_neighbours(MPI_Comm comm, Process& process) {
    wants_neighbours_ = false;
    if (neighbourhood_) return;
    join(comm, process);
    if (is_planned()) neighbourhood_ = Neighbourhood::agree(comm, rank_, size_);
}

void Communicator::open_channel(MPI_Comm comm, Process& process) {
    if (wants_neighbours_) meet_neighbours(comm, process);
    if (!wants_channel_ || channel_) return;
    join(comm, process);
    wants_channel_ = false;
    if (!is_planned()) return;
    // A duplicate would have the program's attributes, too.
    MPI_Comm own = MPI_COMM_NULL;
    check_handled(PMPI_Comm_split(comm, 0, rank_, &own));
    check_handled(PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
    own = with_topology_of(comm, own);
    check_handled(PMPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN));
    channel_ = std::make_shared<Channel>(own, world_ranks_);
}

void Communicator::close_channel(Process& process) {
    if (!channel_) return;
    process.progress().poll_until([&] { return channel_->is_idle(); });
    if (is_world_) return;
    MPI_Comm own = channel_->own();
    channel_.reset();
    PMPI_Comm_free(&own);
}

std::optional<Tags::Block> Communicator::take_tags(bool can, MPI_Comm comm, Process& process) {
    const double failing = tell_leader(can ? 0 : 1, comm);
    std::optional<Tags::Block> taken;
    if (leads() && failing == 0) taken = process.tags().take(world_ranks_.front());
    std::array word{taken ? 1.0 : 0.0, static_cast<double>(taken.value_or(0))};
    hear_leader(word, comm);
    if (word[0] == 0) return std::nullopt;
    return static_cast<Tags::Block>(word[1]);
}

Seat Communicator::next_seat(MPI_Comm comm, Process& process) {
    return {rank_,        size_,
            comm,         process.common().own,
            world_ranks_, process.tags().tag(block_, calls_++)};
}

Seat Communicator::await_seat(MPI_Comm comm, Process& process) {
    Seat seat = next_seat(comm, process);
    // A call that has not begun here may have begun elsewhere.
    if (channel_)
        process.progress().poll_until(
            [&] { return channel_->has_begun_all() && !channel_->is_taken(seat.tag); });
    return seat;
}

int Communicator::copy_attribute(MPI_Comm, int, void*, void* attribute, void* copy, int* flag) {
    *flag = 0;
    try {
        const auto& original = *static_cast<Communicator*>(attribute);
        const auto lock = original.lock_planning();
        *static_cast<void**>(copy) = new Communicator(original);
        *flag = 1;
    } catch (const std::exception&) {
        return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

int Communicator::delete_attribute(MPI_Comm comm, int, void* attribute, void*) {
    known_native.compare_exchange_strong(comm, MPI_COMM_NULL);
    auto* const state = static_cast<Communicator*>(attribute);
    if (Process* process = Process::current()) state->release(*process);
    state->is_freed_ = true;
    if (state->calls_in_ == 0) delete state;
    return MPI_SUCCESS;
}

}  // namespace espalier::runtime
