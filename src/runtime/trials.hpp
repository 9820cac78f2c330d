#pragma once

#include "runtime/logic/trial.hpp"

#include <mpi.h>

namespace espalier::runtime {

/// After each call of something that may be on trial: `elapsed` on this rank, which sent `bytes`.
/// The end of a round is where all ranks meet, over a communicator of our own. True: the trial is
/// over with it. Throws MpiFailure.
[[nodiscard]] bool settle(Trial& trial, Seconds elapsed, double bytes, MPI_Comm own);

}  // namespace espalier::runtime
