#pragma once

#include "runtime/channel.hpp"
#include "runtime/executor.hpp"
#include "runtime/logic/learning.hpp"
#include "runtime/logic/placement.hpp"
#include "runtime/logic/tags.hpp"
#include "runtime/logic/verdict.hpp"
#include "runtime/neighbourhood.hpp"
#include "runtime/plans.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace espalier::runtime {

/// The state attached to a communicator of the program: whether its collectives are planned, where
/// its ranks sit, its plans, and the tags of our messages. Its rank 0 is the leader: it alone reads
/// the network and plans, and tells the others, so that all have the same plan whatever their
/// machines are like.
class Communicator {
public:
    using Verdict = runtime::Verdict;

    /// A call on it: until that is over it lasts, even if the program's error handler frees the
    /// communicator meanwhile.
    class InCall {
    public:
        explicit InCall(Communicator& of) : of_(of) { ++of_.calls_in_; }
        ~InCall() {
            if (--of_.calls_in_ == 0 && of_.is_freed_) delete &of_;
        }
        InCall(const InCall&) = delete;
        InCall& operator=(const InCall&) = delete;

    private:
        Communicator& of_;
    };

    /// The state of `comm`, made at the first use. Throws MpiFailure.
    static Communicator& of(MPI_Comm comm, Process& process);

    /// Whether `comm` is known to be left to MPI; false says nothing. A program that broadcasts a
    /// few bytes on one host would feel even the look at an attribute.
    static bool is_known_native(MPI_Comm comm) {
        return known_native.load(std::memory_order_relaxed) == comm ||
               all_native.load(std::memory_order_relaxed);
    }
    /// Makes every communicator native from now on.
    static void leave_all_to_mpi() { all_native.store(true, std::memory_order_relaxed); }

    /// Hears the leader's verdict, and whether some rank may have a GPU's memory; nothing where it
    /// was heard, or where nothing is planned anyway. Collective. Throws MpiFailure.
    void join(MPI_Comm comm, Process& process);
    /// Leaves its collectives to MPI from now on, but not those of a duplicate.
    void leave(Process& process);
    /// As far as it is known: `planned` may change until all have joined.
    [[nodiscard]] Verdict verdict() const { return verdict_; }
    [[nodiscard]] bool is_planned() const { return verdict_ == Verdict::planned; }
    /// Whether this rank has heard the leader's verdict.
    [[nodiscard]] bool has_joined() const { return joined_; }
    /// Why its collectives are left to MPI whatever its settings are, as all ranks know without a
    /// word; `planned`: that depends.
    [[nodiscard]] Verdict fixed_verdict(MPI_Comm comm, const Process& process) const;
    /// By what its collectives are planned: settings of its own, or those of the process.
    [[nodiscard]] const Settings& settings(const Process& process) const {
        return settings_ ? *settings_ : process.settings();
    }
    /// Waits until nothing is under way on it that this rank has begun. Throws MpiFailure.
    void complete_begun(Process& process);
    /// All begins anew with settings of its own. To be called by all ranks, at the same place of
    /// their calls on it, once nothing is under way on any.
    void steer(std::shared_ptr<const Settings> settings, MPI_Comm comm, Process& process);
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    /// This rank, with its neighbours once ranks have met.
    [[nodiscard]] Membership membership() const { return {rank_, size_, neighbourhood_.get()}; }
    [[nodiscard]] bool leads() const { return rank_ == 0; }
    /// Held by whoever plans, and by whoever looks at what plans are made by while a plan may be
    /// under way, which another thread may be at. No call of MPI's that waits may be made
    /// meanwhile.
    [[nodiscard]] std::unique_lock<std::mutex> lock_planning() const {
        return std::unique_lock(planning_);
    }
    /// Whether MPI has the communicator no more.
    [[nodiscard]] bool is_freed() const { return is_freed_; }
    /// The network as it was when the job began, and where each rank sits on it. Leader only.
    [[nodiscard]] const std::shared_ptr<const PlannableNetwork>& network() const {
        return network_;
    }
    [[nodiscard]] const std::vector<network::GridView::Place>& places() const { return places_; }
    /// Of all ranks, in MPI_COMM_WORLD.
    [[nodiscard]] const std::vector<int>& ranks_in_world() const { return world_ranks_; }
    /// The network as calls have since shown it to be. Leader only.
    [[nodiscard]] const std::shared_ptr<const PlannableNetwork>& believed() const {
        return believed_ ? believed_ : network_;
    }
    void believe(std::shared_ptr<const PlannableNetwork> network) {
        believed_ = std::move(network);
    }
    [[nodiscard]] Learning& learning() { return learning_; }
    [[nodiscard]] Plans& plans() { return plans_; }
    [[nodiscard]] Executor& executor() { return executor_; }

    /// What comes before any call that may wait for all ranks: what was begun without waiting is
    /// done now, and the channel is open where it is due. Collective. Throws MpiFailure.
    void catch_up(const Call& call, Process& process);
    /// Ranks tell each other who their neighbours are, if they have not yet and something is
    /// planned. Collective. Throws MpiFailure.
    void meet_neighbours(MPI_Comm comm, Process& process);
    /// Has them do so at the next blocking collective.
    void want_neighbours() { wants_neighbours_ = true; }
    /// nullptr before that.
    [[nodiscard]] const std::shared_ptr<const Neighbourhood>& neighbourhood() const {
        return neighbourhood_;
    }

    /// What its nonblocking collectives share; nullptr where they are MPI's own. That changes at
    /// the same call on all ranks: on MPI_COMM_WORLD there is one from the beginning, on others
    /// from the first blocking collective on after a nonblocking one.
    [[nodiscard]] std::shared_ptr<Channel> channel_of_next(Process& process);
    /// Opens that where it is due. Collective. Throws MpiFailure.
    void open_channel(MPI_Comm comm, Process& process);
    /// The communicator is about to be freed: completes what is under way.
    void close_channel(Process& process);
    /// The number of nonblocking calls that did not go straight to MPI.
    [[nodiscard]] std::uint64_t begun() const { return begun_; }
    void count_begun() { ++begun_; }
    /// Where its ranks sit. The leader's. Throws nothing but std::bad_alloc.
    [[nodiscard]] Verdict locate(Process& process);

    /// Tags for something on it that is done in an order of its own, to be given back by the
    /// leader; nullopt, on all ranks, where there are none left, or some rank can't have any.
    /// Collective. Throws MpiFailure.
    [[nodiscard]] std::optional<Tags::Block> take_tags(bool can, MPI_Comm comm, Process& process);
    /// The seat of this rank in one planned call, with a tag that is the same on all ranks.
    [[nodiscard]] Seat next_seat(MPI_Comm comm, Process& process);
    /// The same where messages go at once: waits until no nonblocking call has the tag any more,
    /// nor will have it.
    [[nodiscard]] Seat await_seat(MPI_Comm comm, Process& process);

    static int copy_attribute(MPI_Comm comm, int keyval, void* extra, void* attribute, void* copy,
                              int* flag);
    static int delete_attribute(MPI_Comm comm, int keyval, void* attribute, void* extra);

private:
    /// The last one used that is left to MPI; forgotten before its handle can mean another.
    static inline std::atomic<MPI_Comm> known_native = MPI_COMM_NULL;
    static inline std::atomic<bool> all_native = false;

    Communicator(MPI_Comm comm, Process& process);
    Communicator(const Communicator& other);
    /// Whether this came, as a copied attribute, from a communicator of other ranks; asked at the
    /// first use. Open MPI 4 copies attributes not only to duplicates, but also in MPI_Comm_create.
    [[nodiscard]] bool was_copied_for_others(MPI_Comm comm);
    [[nodiscard]] Verdict judge(MPI_Comm comm, const Process& process) const;
    [[nodiscard]] Verdict lead(Process& process);
    void release(Process& process);

    int rank_ = 0;
    int size_ = 1;
    bool is_world_ = false;
    std::vector<int> world_ranks_;
    std::shared_ptr<const Settings> settings_;  ///< of its own
    bool is_copy_ = false;                      ///< not used yet since it was copied
    Verdict verdict_ = Verdict::alone;
    mutable std::mutex planning_;
    std::shared_ptr<const PlannableNetwork> network_;   ///< the leader's
    std::vector<network::GridView::Place> places_;      ///< the leader's, by rank
    std::shared_ptr<const PlannableNetwork> believed_;  ///< the leader's; none: as it was
    Learning learning_;                                 ///< the leader's
    bool joined_ = false;
    std::optional<Tags::Block> led_;  ///< the leader's, until the communicator is freed
    Tags::Block block_ = 0;           ///< of tags
    std::uint64_t calls_ = 0;         ///< that had one
    int calls_in_ = 0;                ///< that are not over: more than one in an error handler
    bool is_freed_ = false;
    Plans plans_;
    Executor executor_;
    std::shared_ptr<const Neighbourhood> neighbourhood_;
    bool wants_neighbours_ = false;
    bool wants_channel_ = false;
    std::shared_ptr<Channel> channel_;
    std::uint64_t begun_ = 0;
};

}  // namespace espalier::runtime
