#pragma once

#include "runtime/log.hpp"
#include "runtime/process.hpp"

namespace espalier::runtime {

/// The state with which a job begins, and what all its ranks have then: rank 0 decides. Collective
/// over MPI_COMM_WORLD. `process` is nullptr where this rank is switched off. Throws MpiFailure.
[[nodiscard]] Start agree(Process* process, Log& log, Common& common);

}  // namespace espalier::runtime
