#pragma once

#include <mpi.h>

namespace espalier::runtime {

/// The effect of an operator on elements of a type.
struct Operation {
    /// Whether it is known that MPI takes the two together; where not, the call is MPI's own, and
    /// so is its error.
    bool usable = false;
    bool ordered = false;  ///< not commutative
    /// The result does not depend on the order in which operands are combined.
    bool exact = false;
};

/// Whether it is one of MPI's own, which nobody frees.
[[nodiscard]] bool is_predefined(MPI_Op op);

/// Throws MpiFailure.
[[nodiscard]] Operation look_at(MPI_Op op, MPI_Datatype type);

}  // namespace espalier::runtime
