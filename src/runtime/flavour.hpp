#pragma once

#include "measure/eager.hpp"

#include <cstdint>

namespace espalier::runtime {

/// How the MPI library that this is built for moves messages.
struct Flavour {
#ifdef ESPALIER_MPI_SMPI
    /// Whether sends wait for their turn by the clock, because messages that are in flight at once
    /// share a link instead of queueing for it, and slow each other down.
    static constexpr bool paced = true;
#else
    static constexpr bool paced = false;
#endif
    /// Whether the library refuses calls whose input and output are the same memory, which MPICH
    /// does unless it is built or told not to. Others give the right result.
    [[nodiscard]] static bool refuses_aliases();
    /// The longest message that leaves before its receive is known to be there, where the network
    /// says nothing of it.
    static constexpr std::uint64_t eager_bytes = measure::eager_bytes;
};

}  // namespace espalier::runtime
