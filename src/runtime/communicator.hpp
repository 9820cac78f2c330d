#pragma once

#include "runtime/executor.hpp"
#include "runtime/logic/placement.hpp"
#include "runtime/logic/verdict.hpp"
#include "runtime/plans.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace espalier::runtime {

/// The state attached to a communicator of the program: whether its collectives are planned, where
/// its ranks sit, its plans, and a private communicator for our messages. Its rank 0 is the leader:
/// it alone reads the network and plans, and tells the others, so that all have the same plan
/// whatever their machines and files are like.
class Communicator {
public:
    using Verdict = runtime::Verdict;

    /// The state of `comm`. It is made at the first use, which is then collective. Throws
    /// MpiFailure.
    static Communicator& of(MPI_Comm comm, Process& process);

    /// Whether `comm` is known to be left to MPI; false says nothing. A program that broadcasts a
    /// few bytes on one host would feel even the look at an attribute.
    static bool is_known_native(MPI_Comm comm) {
        return known_native.load(std::memory_order_relaxed) == comm ||
               all_native.load(std::memory_order_relaxed);
    }
    /// Makes every communicator native from now on.
    static void leave_all_to_mpi() { all_native.store(true, std::memory_order_relaxed); }

    [[nodiscard]] Verdict verdict() const { return verdict_; }
    [[nodiscard]] bool is_planned() const { return verdict_ == Verdict::planned; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool leads() const { return rank_ == 0; }
    /// The network on which the leader plans, and where each rank sits on it. Leader only.
    [[nodiscard]] const PlannableNetwork& network() const { return *network_; }
    [[nodiscard]] const std::vector<network::GridView::Place>& places() const { return places_; }
    [[nodiscard]] Plans& plans() { return plans_; }
    [[nodiscard]] Executor& executor() { return executor_; }

    /// A communicator of our own with the same ranks, whose errors are returned; collective at its
    /// first use. MPI_COMM_NULL where the MPI library has none left, or this one has its share of
    /// them: nothing is planned from then on. Throws MpiFailure.
    [[nodiscard]] MPI_Comm own_communicator(MPI_Comm comm);
    /// A tag for the messages of one planned call, the same on all ranks.
    [[nodiscard]] int next_tag();

    static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* attribute, void* copy,
                              int* flag);
    static int delete_attribute(MPI_Comm comm, int keyval, void* attribute, void* extra);

private:
    /// The last one used that is left to MPI; forgotten before its handle can mean another.
    static inline std::atomic<MPI_Comm> known_native = MPI_COMM_NULL;
    static inline std::atomic<bool> all_native = false;
    /// Communicators of our own that there are.
    static inline std::atomic<int> taken = 0;

    Communicator(MPI_Comm comm, Process& process);
    Communicator(const Communicator& other);
    /// Whether this came, as a copied attribute, from a communicator of other ranks; asked at the
    /// first use. Open MPI 4 copies attributes not only to duplicates, but also in MPI_Comm_create.
    [[nodiscard]] bool was_copied_for_others(MPI_Comm comm);
    [[nodiscard]] Verdict judge(MPI_Comm comm, Process& process);
    [[nodiscard]] Verdict place(MPI_Comm comm, Process& process);
    [[nodiscard]] Verdict locate(const std::vector<std::string>& hosts, Process& process);

    int rank_ = 0;
    int size_ = 1;
    std::vector<int> world_ranks_;  ///< of all ranks, in MPI_COMM_WORLD
    bool is_copy_ = false;          ///< not used yet since it was copied
    Verdict verdict_ = Verdict::alone;
    std::shared_ptr<const PlannableNetwork> network_;  ///< the leader's
    std::vector<network::GridView::Place> places_;     ///< the leader's, by rank
    MPI_Comm private_ = MPI_COMM_NULL;                 ///< made when it is first needed
    Plans plans_;
    std::uint64_t tags_ = 0;  ///< that calls had
    Executor executor_;
};

}  // namespace espalier::runtime
