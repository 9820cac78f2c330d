#pragma once

#include "core/infinity.hpp"
#include "core/units.hpp"

#include <mpi.h>

namespace espalier::runtime {

/// The time since PMPI_Wtime() was `start`; infinity where nobody knows it, since that clock, which
/// may be the day's, was set back meanwhile.
[[nodiscard]] inline Seconds since(double start) {
    const double elapsed = PMPI_Wtime() - start;
    return Seconds(elapsed < 0 ? infinity : elapsed);
}

}  // namespace espalier::runtime
