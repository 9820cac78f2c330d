#pragma once

#include "runtime/agreement.hpp"
#include "runtime/call.hpp"
#include "runtime/executor.hpp"
#include "runtime/logic/arrivals.hpp"
#include "runtime/logic/bandit.hpp"
#include "runtime/logic/call_history.hpp"
#include "runtime/logic/learning.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/planning_account.hpp"
#include "runtime/logic/recently_used.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {

class Communicator;
class DealUnderWay;

/// The plans of a communicator by what all ranks know of a call, and what its calls decided.
/// The leader plans, and tells each rank its share. Of blocks that only their source and target
/// know, it gathers the sizes at the 1st, 2nd, 4th, 8th, … such call, which all ranks count alike,
/// and plans anew; the calls between follow the plan that there is, in whatever sizes they have.
class Plans {
public:
    struct Plan {
        PlannedCollective share;
        /// The candidates; at the leader alone.
        std::shared_ptr<const std::vector<plan::Considered>> considered;
        /// That the variants follow; at the leader alone.
        std::vector<std::shared_ptr<const schedule::Schedule>> schedules;
        std::vector<std::vector<bool>> written;  ///< see written_chunks(); of each variant

        [[nodiscard]] const PlannedCollective& of(Bandit::Variant variant) const {
            return variant == 0 ? share : share.others[variant - 1];
        }
    };
    /// The plan that stands for none: until there is one, and if making one fails.
    [[nodiscard]] static std::shared_ptr<const Plan> none();
    struct Entry {
        std::shared_ptr<const Plan> plan = none();
        Bandit bandit = Bandit::without(Bandit::native);
        Agreement agreement{};
        Seconds told_prediction;  ///< of the call that the agreement is about
        std::optional<Arrival>
            arrival;          ///< at the last call that told; by ranks of the communicator
        Bytes planned_bytes;  ///< of an operand or block, the largest one
        /// Of nonblocking calls, until the next blocking one of any signature: brings the plan.
        std::shared_ptr<DealUnderWay> deal;
        std::uint64_t calls = 0;     ///< of blocks that only some know
        std::uint64_t done = 0;      ///< calls that are not persistent
        Seconds planning;            ///< what it took, at the leader alone
        Seconds preparing;           ///< that calls waited before they began, where it is reported
        std::size_t gatherings = 0;  ///< of their sizes
        std::size_t changes = 0;     ///< that its calls told
        std::size_t known_changes = 0;  ///< of the network, when it was planned
        /// Of the last call that was looked at, on this rank.
        std::vector<Executor::Heard> heard;
        /// The first of the plans from before changes, behind those for the network as it is now.
        std::optional<Bandit::Variant> kept;
        /// Calls have yet to show that the network is what is supposed since the last change.
        bool is_supposed = false;
        std::optional<Learning::Lesson> supposed;  ///< at the leader alone
        RememberedChanges::Time told;              ///< of that, by calls
        bool is_faster = false;                    ///< calls take less since then
        Seconds library;  ///< that MPI's own is predicted to take; at the leader alone
        Seconds owed;     ///< that its plans cost and did not bring back, at the leader alone
        bool is_repeated = false;    ///< calls will be made again and again, as the program says
        bool is_due_anyway = false;  ///< whatever its plans cost; at the leader alone
        /// How its calls are done, at a leader that keeps it for later runs.
        std::shared_ptr<CallRecord> record;

        /// Calls are done by this from now on. Throws MpiFailure.
        void adopt(std::shared_ptr<const Plan> made);
        /// Whether the call is native for ever.
        [[nodiscard]] bool is_native() const;
        /// Whether what its calls took so far pays for planning again.
        [[nodiscard]] bool is_due(std::size_t ranks) const;
        /// Whether its calls tell that the network has changed, and simulation can tell how.
        [[nodiscard]] bool can_learn() const;
        /// Whether that pays for planning once more.
        [[nodiscard]] bool is_to_learn() const;
        /// What is known of the plans and MPI's own, in words that name the plans' algorithms;
        /// empty where calls decide nothing.
        [[nodiscard]] std::string finding() const;
        /// Whether ranks agreed on what calls by `variant` take.
        [[nodiscard]] bool is_known(Bandit::Variant variant) const;
        /// What a rank saw of a call that was done as bandit.next() says.
        struct Seen {
            Seconds elapsed;
            double bytes = 0;
            int rank = 0;       ///< that saw it
            Seconds predicted;  ///< what the call was expected to take
        };
        /// The leader has an account: the pause by it, where ranks hear that. Collective where they
        /// agree. Throws MpiFailure.
        std::optional<double> count(const Seen& seen, const std::optional<PlanningAccount>& account,
                                    MPI_Comm comm);
        /// What a call by `variant` is predicted to take, as far as all ranks know.
        [[nodiscard]] Seconds predicted(Bandit::Variant variant) const;
        /// Why a call is MPI's own.
        [[nodiscard]] std::string reason() const;
    };

    /// What a duplicate of the communicator begins with. Calls that later runs do again are counted
    /// on each communicator from its first one.
    [[nodiscard]] Plans for_duplicate() const;
    /// Ends what is under way.
    void clear() { entries_ = Entries(most_plans); }
    /// All is to be planned anew, by other settings, and on credit. Nothing may be under way.
    void begin_anew() {
        clear();
        for (Ledger& ledger : ledgers_) ledger.is_paused = false;
    }
    /// nullptr where nothing is known of such calls yet.
    [[nodiscard]] Entry* find(const Signature& signature) { return entries_.find(signature); }
    /// `known` is what find() found. nullptr where the call is left to MPI, since plans cost more
    /// so far than they brought. Collective at the first call of a signature, and where sizes are
    /// gathered. Throws MpiFailure.
    Entry* of(const Call& call, const Question& question, Entry* known, Communicator& communicator,
              Process& process);
    /// A call of `entry` was done by `variant`, and this rank was so long in it. Collective where
    /// ranks agree. Throws MpiFailure.
    void count(const Call& call, const Question& question, Entry& entry, Bandit::Variant variant,
               Seconds elapsed, double bytes, int rank);
    /// A call without an entry was left to MPI, and took so long.
    void count_left(const Question& question, Seconds elapsed);

    /// What a call does that the program will start again and again: what blocking calls have
    /// decided so far; where these have no plan yet, one is made now. Blocks that only some know
    /// have a plan of their own. Collective. Throws MpiFailure.
    [[nodiscard]] Entry of_repeated(const Call& call, const Question& question,
                                    const Communicator& communicator, Process& process);
    /// Such a call is done by `variant` of `entry` whenever it is started. Returns what its starts
    /// are to be counted in: they pay for the plan.
    [[nodiscard]] std::shared_ptr<std::atomic<std::uint64_t>> promise(const Signature& signature,
                                                                      const Entry& entry,
                                                                      Bandit::Variant variant);

    /// Whether a signature without a plan may get one without a word between ranks.
    [[nodiscard]] bool may_begin(const Signature& signature) const {
        return !ledger_of(signature).is_paused;
    }
    /// A signature without a plan gets that of `deal`, on all ranks at the same call.
    Entry& begin(const Signature& signature, std::shared_ptr<DealUnderWay> deal);
    /// Completes what was begun so; at a call that may wait for all ranks. Throws MpiFailure.
    void settle(Process& process) {
        if (!under_way_.empty()) complete_deals(process);
    }
    /// The leader's part in planning: the shares of all ranks.
    [[nodiscard]] PlannedRanks lead(const char* name, const Signature& signature,
                                    const BlockSizes& sizes, Entry& entry,
                                    const Communicator& communicator, Process& process,
                                    std::span<const Learning::Lesson> lessons = {});
    /// This rank's share as a plan; `planned` is the leader's.
    [[nodiscard]] static std::shared_ptr<Plan> plan_of(PlannedCollective share,
                                                       PlannedRanks planned);

    /// The time of a call of `entry` by a plan, and by MPI's own, as far as this rank knows.
    [[nodiscard]] std::optional<runs::Call::Gain> estimate(const Signature& signature,
                                                           const Entry& entry,
                                                           Bandit::Variant plan) const;
    /// What there is to say of calls of `entry` that `variant` does.
    [[nodiscard]] RunReport::Expectation describe(const Signature& signature, const Entry& entry,
                                                  Bandit::Variant variant) const;
    /// Calls `visit(signature, entry)` for all that are known.
    template <typename Visit>
    void for_each(const Visit& visit) const {
        entries_.for_each(visit);
    }
    /// What a first call of the signature would find, were it made now; at the leader alone, who
    /// plans for that, and keeps nothing. Blocks are alike.
    [[nodiscard]] static Entry foresee(const Signature& signature, const Communicator& communicator,
                                       Process& process);
    /// The number of plans that were dealt out.
    [[nodiscard]] std::size_t deals() const { return deals_; }

private:
    /// A call that is started again and again, at the leader.
    struct Promise {
        Signature signature;
        std::shared_ptr<std::atomic<std::uint64_t>> starts;
        Seconds predicted;  ///< of a start
        Seconds gain;       ///< of a start, compared with MPI's own
        Seconds owed;
        std::uint64_t paid = 0;  ///< starts
    };
    using Entries = RecentlyUsed<Signature, Entry, Signature::Hash>;

    /// What plans cost and bring. Ranks count the calls that are left to MPI alike.
    struct Ledger {
        std::optional<PlanningAccount> account;  ///< at the leader alone
        std::uint64_t pause = 0;  ///< calls to be left to MPI before another signature is planned
        bool is_paused = false;   ///< the leader is asked when it is over
    };

    [[nodiscard]] std::shared_ptr<Plan> make(const Call& call, const Signature& signature,
                                             const BlockSizes& sizes, Entry& entry,
                                             const Communicator& communicator, Process& process,
                                             std::span<const Learning::Lesson> lessons = {});
    /// A new plan for sizes as they are now; what calls decided holds for it, too.
    void replan(Entry& entry, const Call& call, const Signature& signature,
                const Communicator& communicator, Process& process);
    void complete_deals(Process& process);
    void take_in_promises();
    void pause_as(const Signature& signature, const PlannedCollective& share);
    /// Whether a signature without a plan is to have one. Collective where a pause is over. Throws
    /// MpiFailure.
    [[nodiscard]] bool may_plan(const Call& call, const Signature& signature);
    void account_for(const Signature& signature, Entry& entry, Bandit::Variant variant,
                     Seconds elapsed);
    /// Of results that depend on the order of operands a later run has to decide alike, whatever
    /// was measured: they have one of their own, of predictions alone.
    [[nodiscard]] Ledger& ledger_of(const Signature& signature) {
        return ledgers_[signature.exact ? 1 : 0];
    }
    [[nodiscard]] const Ledger& ledger_of(const Signature& signature) const {
        return ledgers_[signature.exact ? 1 : 0];
    }
    void learn(Entry& entry, const Call& call, const Signature& signature, const BlockSizes& sizes,
               Communicator& communicator, Process& process);
    void conclude(Entry& entry, Communicator& communicator, Process& process);

    static constexpr std::size_t most_plans = 512;

    Entries entries_{most_plans};
    std::array<Ledger, 2> ledgers_;
    std::vector<std::pair<Signature, std::shared_ptr<DealUnderWay>>> under_way_;
    std::vector<Promise> promises_;
    std::size_t deals_ = 0;
    std::size_t changes_ = 0;  ///< of the network
};

}  // namespace espalier::runtime
