#pragma once

#include "runtime/failure.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/operands.hpp"

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace espalier::runtime {

/// What all ranks know of a call without communication, or why the call is native.
struct Question {
    Signature signature;
    const char* refusal = nullptr;
    Bytes bytes;  ///< of one rank's operand or of a block, the largest one; for the report
    /// The block of each rank, if blocks differ and all ranks know them (Signature::uneven without
    /// direct).
    std::shared_ptr<const std::vector<Bytes>> blocks = nullptr;

    [[nodiscard]] static Question refused(const char* reason);
    /// A question about a call with an operand or blocks of so many bytes; it is refused if there
    /// are no bytes, or no such number of them.
    [[nodiscard]] static Question about(schedule::Kind kind, std::optional<std::uint64_t> bytes,
                                        int root = 0);
    /// A question about a call whose blocks have sizes that only their source and target know.
    [[nodiscard]] static Question direct(schedule::Kind kind, int root = 0);
    /// A question about a call of `ranks` ranks whose blocks differ: `counts` elements of `type`,
    /// known to all ranks.
    [[nodiscard]] static Question of_blocks(schedule::Kind kind, const Integers& counts, int ranks,
                                            MPI_Datatype type);
    /// Adds the operator of a reduction.
    void combine(MPI_Op op, MPI_Datatype type);
};

inline constexpr const char* wrong_arguments = "wrong arguments";

/// MPI's own call with the program's arguments; does not outlive the function it is made of.
class NativeCall {
public:
    template <typename Function>
    explicit NativeCall(const Function& function)
        : function_(&function),
          invoke_([](const void* made) { return (*static_cast<const Function*>(made))(); }) {}
    /// Throws ProgramException.
    int operator()() const {
        return with_program([&] { return invoke_(function_); });
    }

private:
    const void* function_;
    int (*invoke_)(const void*);
};

class Neighbourhood;

/// This process among the ranks of a communicator.
struct Membership {
    int rank = 0;
    int size = 1;
    const Neighbourhood* neighbours = nullptr;  ///< where ranks agreed on who they are
};

/// One call of a collective, as the program made it.
class Call {
public:
    /// `name` is what the log calls it: `allgatherv`.
    Call(const char* name, schedule::Kind of, bool blocks_differ, MPI_Comm on, NativeCall own)
        : kind(of), uneven(blocks_differ), comm(on), native(own), name_(name) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    virtual ~Call() = default;

    [[nodiscard]] const char* name() const { return name_; }
    /// The question, the same on all ranks of a communicator that is planned.
    [[nodiscard]] virtual Question ask(const Membership& in) const = 0;
    /// Whether MPI could take what this rank brings; what is wrong, it tells the program itself.
    [[nodiscard]] virtual bool is_sound(const Membership& in) const = 0;
    [[nodiscard]] virtual Operands operands(const Membership& in) const = 0;
    /// The bytes of the blocks that this rank has for others, if only their source and target know
    /// the sizes: one for each rank in a total exchange, otherwise the size of its own block. All
    /// ranks give as many. Throws MpiFailure.
    [[nodiscard]] virtual std::vector<std::uint64_t> sizes(const Membership&) const { return {}; }
    /// Whether only ranks that are neighbours in a topology have something for each other. What the
    /// other functions are told names them then, unless nothing is planned.
    [[nodiscard]] virtual bool is_among_neighbours() const { return false; }

    const schedule::Kind kind;
    const bool uneven;  ///< it is of the kind whose blocks may differ
    const MPI_Comm comm;
    const NativeCall native;

private:
    const char* name_;
};

/// Performs a call of the program: by a plan where that can be done and is not known to be slower,
/// else by MPI's own. Throws nothing; returns what the MPI call would, and after the same error
/// handler.
int perform(const Call& call);

}  // namespace espalier::runtime
