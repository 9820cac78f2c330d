#pragma once

#include "core/matrix.hpp"
#include "network/grid_view.hpp"
#include "plan/race.hpp"
#include "runtime/logic/bandit.hpp"
#include "runtime/logic/rank_program.hpp"
#include "runtime/logic/settings.hpp"
#include "runtime/logic/size_class.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runtime {

/// With more ranks, collectives that have a message for each pair of ranks, or a block of each rank
/// for each, are left to the MPI library.
inline constexpr std::size_t most_ranks_of_blocks = 1024;

/// What all ranks of a communicator know of a call without communication, the same on each. Calls
/// with one signature share a plan, and the choice between it and others.
struct Signature {
    schedule::Kind kind = schedule::Kind::broadcast;
    int root = 0;          ///< where schedule::has_root(kind), else 0
    Bytes bytes;           ///< size_class() of one rank's operand, or of a block (the largest one)
    bool ordered = false;  ///< the operator is not commutative
    /// The result does not depend on the order in which operands are combined; so of all that only
    /// copies.
    bool exact = true;
    /// Whether only their source and their target know the sizes of blocks, so that nobody relays
    /// them.
    bool direct = false;
    /// Whether blocks differ. All ranks know their sizes, or the leader has gathered them.
    bool uneven = false;
    /// Whether only pairs that are neighbours in a topology have something for each other, in what
    /// is a total exchange otherwise.
    bool among_neighbours = false;

    friend auto operator<=>(const Signature&, const Signature&) = default;

    struct Hash {
        std::size_t operator()(const Signature& of) const {
            std::uint64_t hash = of.bytes.value;
            for (const std::uint64_t each :
                 {static_cast<std::uint64_t>(of.kind), static_cast<std::uint64_t>(of.root),
                  std::uint64_t{of.ordered}, std::uint64_t{of.exact}, std::uint64_t{of.direct},
                  std::uint64_t{of.uneven}, std::uint64_t{of.among_neighbours}})
                hash = (hash * 0x100000001b3) ^ each;  // FNV-1, a field at a time
            return hash;
        }
    };
};

/// Sizes of blocks that differ, as the leader knows them; see plan::Request.
struct BlockSizes {
    std::shared_ptr<const std::vector<Bytes>> of_ranks;
    std::shared_ptr<const Matrix<Bytes>> of_pairs;  ///< of a total exchange: from row to column
    /// The pairs that may have something for each other; none: all.
    std::shared_ptr<const Matrix<char>> neighbours = nullptr;
};

/// The leader's decision about a signature, and one rank's share of it.
struct PlannedCollective {
    std::string refusal;  ///< why it is MPI's own; empty where there is a plan
    std::string algorithm;
    /// Simulated until the last rank is done; nullopt where there are too many messages for that.
    std::optional<Seconds> predicted;
    Seconds bound;             ///< seconds that nothing beats, in the same model; 0: not known
    std::size_t segments = 1;  ///< the most that a message is cut into
    /// The most that any rank needs beside the program's own buffers, at the signature's size.
    std::uint64_t staging_bytes = 0;
    Bandit::Prior prior;  ///< what a call is believed to take
    /// The same of MPI's own, where calls decide between that, this and the others.
    std::optional<Bandit::Prior> library;
    Seconds agreement;  ///< how long ranks then take to hear what all of them saw
    Seconds agreeing;   ///< that this takes of calls which go on meanwhile
    /// Of planning; 0 where calls took too little so far for a plan to pay.
    std::uint64_t steps = 0;
    bool is_final = true;  ///< more planning would bring nothing, whatever calls take
    /// Calls of signatures without a plan that are left to MPI before another one is planned.
    std::uint64_t pause = 0;
    /// Other plans that may be faster than predicted. These have no others themselves.
    std::vector<PlannedCollective> others;
    /// Other plans would change results: calls decide among these alone.
    bool is_only = false;
    /// By what calls were done in an earlier run, and are to be done again.
    std::vector<Bandit::Turn> turns;
    /// Why it is so, in words for the report, where nothing was refused and calls decide nothing.
    std::string choice;
    RankProgram program;

    [[nodiscard]] bool is_native() const { return !refusal.empty(); }
    /// Whether calls may go on to tell what is worth doing.
    [[nodiscard]] bool is_left_to_calls() const { return library.has_value(); }
    /// Of the plan, if there is one, and the others.
    [[nodiscard]] std::vector<std::string> algorithms() const;
    [[nodiscard]] std::vector<Bandit::Prior> priors() const;
};

/// The settings by which the leader decides.
struct Policy {
    Settings::Planning planning = Settings::Planning::automatic;
    AlgorithmChoice choice;
    Settings::Reproducible reproducible = Settings::Reproducible::by_network;
    Bytes memory = Settings::usual_memory;  ///< the most that a rank may stage
    Bytes eager = any_length;  ///< longer messages wait for their receivers (rendezvous)
    /// Whether someone reads the bound, which can take longer to find than the plan.
    bool bounded = true;
    /// How many times as long as predicted calls take; nullopt where it is not known.
    std::optional<double> usual = {};
    bool unexplained = false;  ///< as in Bandit::Prior
    /// What earlier calls took, where there were some, and the steps of the plan that they had.
    std::optional<Seconds> spent = {};
    std::uint64_t steps_before = 0;
    std::optional<unsigned> robust = {};  ///< see Settings
    bool is_repeated = false;  ///< calls will be made again and again, as the program says
};

/// The request that plans a signature. `direct`: nobody relays blocks.
[[nodiscard]] plan::Request request_of(const Signature& signature, const BlockSizes& sizes,
                                       const Policy& policy, bool direct);

/// The decisions that the leader hands out, and the race that led to them.
struct PlannedRanks {
    std::vector<PlannedCollective> shares;     ///< of each rank
    std::vector<plan::Considered> considered;  ///< all candidates; empty where none was asked for
    /// That the shares and their others follow, between ranks.
    std::vector<std::shared_ptr<const schedule::Schedule>> schedules = {};
    Seconds library;  ///< what a call that MPI does itself is predicted to take
    Seconds dealing;  ///< and handing out the shares
};

/// Plans a collective between the ranks at `places` by plan::race(). Never throws: what can't be
/// planned, would need too much memory, or is not predicted to gain is refused on all ranks, with
/// the reason.
[[nodiscard]] PlannedRanks plan_ranks(const network::GridView& view,
                                      const std::vector<network::GridView::Place>& places,
                                      const Signature& signature, const BlockSizes& sizes,
                                      const Policy& policy);

/// A share as bytes to be sent, and back; bytes behind it don't matter.
[[nodiscard]] std::string encode(const PlannedCollective& share);
[[nodiscard]] PlannedCollective decode_planned(const std::string& bytes);

/// The bytes that `rank` needs beside the program's own buffers for operands or blocks of `bytes`,
/// or of `sizes` if they are given: for chunks that it holds and that are neither its input nor its
/// output, for those that it combines others into, and for one buffer in which operands arrive.
[[nodiscard]] std::uint64_t staging_bytes(const RankProgram& program, std::size_t rank,
                                          const Signature& signature, const BlockSizes& sizes);

}  // namespace espalier::runtime
