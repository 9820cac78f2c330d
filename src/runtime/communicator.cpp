#include "runtime/communicator.hpp"

#include "runtime/failure.hpp"
#include "runtime/flavour.hpp"
#include "runtime/host_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace espalier::runtime {

namespace {

/// The facts about a rank that the leader has to know.
struct Member {
    HostName host;
    char has_devices = 0;  ///< buffers may be a GPU's memory
};

/// Everybody, by rank, at rank 0.
std::vector<Member> gather_members(Process& process, int rank, int size, MPI_Comm comm) {
    const char has_devices = process.device_memory().is_possible() ? 1 : 0;
    const Member mine{HostName(process.host()), has_devices};
    std::vector<Member> all(rank == 0 ? static_cast<std::size_t>(size) : 1);
    constexpr int length = sizeof(Member);
    check_handled(PMPI_Gather(&mine, length, MPI_BYTE, all.data(), length, MPI_BYTE, 0, comm));
    return all;
}

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
    if (!communicator.is_planned() && !process.reports())
        known_native.store(comm, std::memory_order_relaxed);
    return communicator;
}

Communicator::Communicator(MPI_Comm comm, Process& process) {
    check_handled(PMPI_Comm_rank(comm, &rank_));
    check_handled(PMPI_Comm_size(comm, &size_));
    world_ranks_ = world_ranks(comm);
    verdict_ = judge(comm, process);
}

/// A duplicate has the same ranks in the same places, and another communicator of its own.
Communicator::Communicator(const Communicator& other)
    : rank_(other.rank_),
      size_(other.size_),
      verdict_(other.verdict_),
      network_(other.network_),
      places_(other.places_),
      plans_(other.plans_) {}

bool Communicator::was_copied_for_others(MPI_Comm comm) {
    if (!is_copy_) return false;
    is_copy_ = false;
    return world_ranks(comm) != world_ranks_;
}

Communicator::Verdict Communicator::judge(MPI_Comm comm, Process& process) {
    int between_groups = 0;
    check_handled(PMPI_Comm_test_inter(comm, &between_groups));
    if (between_groups != 0) return Verdict::intercommunicator;
    if (size_ == 1) return Verdict::alone;
    if (has_strangers(world_ranks_)) return Verdict::several_worlds;
    if (const auto known = process.verdict()) return *known;

    // From here on the leader's word counts: others may have other settings and files.
    auto verdict = static_cast<int>(Verdict::planned);
    if (leads()) {
        process.complain();
        if (process.settings().planning == Settings::Planning::never) {
            verdict = static_cast<int>(Verdict::never);
        } else {
            network_ = process.network();
            if (!network_) verdict = static_cast<int>(Verdict::no_network);
        }
    }
    check_handled(PMPI_Bcast(&verdict, 1, MPI_INT, 0, comm));
    if (verdict != static_cast<int>(Verdict::planned)) return static_cast<Verdict>(verdict);
    return place(comm, process);
}

Communicator::Verdict Communicator::place(MPI_Comm comm, Process& process) {
    const auto members = gather_members(process, rank_, size_, comm);
    auto verdict = static_cast<int>(Verdict::planned);
    if (leads()) {
        // Whether a buffer is a GPU's, one rank alone would know, and all have to agree.
        const bool has_devices =
            std::any_of(members.begin(), members.end(),
                        [](const Member& each) { return each.has_devices != 0; });
        std::vector<std::string> hosts;
        for (const Member& member : members) hosts.push_back(member.host.text());
        verdict = static_cast<int>(has_devices ? Verdict::devices : locate(hosts, process));
    }
    check_handled(PMPI_Bcast(&verdict, 1, MPI_INT, 0, comm));
    return static_cast<Verdict>(verdict);
}

Communicator::Verdict Communicator::locate(const std::vector<std::string>& hosts,
                                           Process& process) {
    Placement placement = place_hosts(network_->view(), hosts);
    if (!placement.missing.empty()) {
        const std::size_t others = placement.missing.size() - 1;
        process.complain_of_network(fmt::format(
            ": no node for host '{}'{}; collectives are left to MPI", placement.missing.front(),
            others == 0 ? "" : fmt::format(" and {} more", others)));
        return Verdict::unknown_host;
    }
    places_ = std::move(placement.places);
    const bool planned_anyway = process.settings().planning == Settings::Planning::always;
    return in_one_leaf(places_) && !planned_anyway ? Verdict::one_cluster : Verdict::planned;
}

MPI_Comm Communicator::own_communicator(MPI_Comm comm) {
    if (private_ != MPI_COMM_NULL) return private_;
    // Neither a duplicate nor, with Open MPI 4, MPI_Comm_create: they call the copy functions of
    // the program's own attributes.
    // A program with very many communicators may leave none to us, which is no failure of its own.
    int made = taken < Flavour::most_communicators ? 1 : 0;
    int made_everywhere = 0;
    const auto agree = [&] {
        return PMPI_Allreduce(&made, &made_everywhere, 1, MPI_INT, MPI_MIN, comm);
    };
    {
        const ErrorsReturned returned(comm);
        int code = agree();
        if (code == MPI_SUCCESS && made_everywhere != 0) {
            made = PMPI_Comm_split(comm, 0, rank_, &private_) == MPI_SUCCESS ? 1 : 0;
            taken += made;
            code = agree();
        }
        check(code);
    }
    if (made_everywhere == 0) {
        if (private_ != MPI_COMM_NULL) {
            check(PMPI_Comm_free(&private_));
            --taken;
        }
        private_ = MPI_COMM_NULL;
        verdict_ = Verdict::no_communicator;
        return private_;
    }
    check(PMPI_Comm_set_errhandler(private_, MPI_ERRORS_RETURN));
    return private_;
}

int Communicator::next_tag() {
    // MPI promises tags up to 32767; 0 is for what a rank sends itself.
    constexpr std::uint64_t tags = 32767;
    return static_cast<int>(1 + tags_++ % tags);
}

int Communicator::copy_attribute(MPI_Comm, int, void*, void* attribute, void* copy, int* flag) {
    *flag = 0;
    try {
        const auto& original = *static_cast<Communicator*>(attribute);
        auto made = std::unique_ptr<Communicator>(new Communicator(original));
        made->world_ranks_ = original.world_ranks_;
        made->is_copy_ = true;
        *static_cast<void**>(copy) = made.release();
        *flag = 1;
    } catch (const std::exception&) {
        return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

int Communicator::delete_attribute(MPI_Comm comm, int, void* attribute, void*) {
    known_native.compare_exchange_strong(comm, MPI_COMM_NULL);
    auto* state = static_cast<Communicator*>(attribute);
    if (state->private_ != MPI_COMM_NULL && !Process::is_over()) {
        state->plans_.clear();
        PMPI_Comm_free(&state->private_);
        --taken;
    }
    delete state;
    return MPI_SUCCESS;
}

}  // namespace espalier::runtime
