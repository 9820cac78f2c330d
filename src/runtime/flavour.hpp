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
#ifdef ESPALIER_MPI_MPICH
    /// Whether the library refuses calls whose input and output are the same memory. Other
    /// libraries give the right result.
    static constexpr bool refuses_aliases = true;
#else
    static constexpr bool refuses_aliases = false;
#endif
    /// The longest message that leaves before its receive is known to be there, where the network
    /// says nothing of it.
    static constexpr std::uint64_t eager_bytes = measure::eager_bytes;
};

}  // namespace espalier::runtime
