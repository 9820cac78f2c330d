#pragma once

#include "runtime/logic/planned_collective.hpp"
#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

namespace espalier::runtime {

/// The simulated time of an MPI library's own algorithm: the best of what Open MPI and MPICH mostly
/// choose, which know nothing of the network but the ranks' numbers (libraries/call.hpp). If
/// operands have to stay in order, only algorithms that keep it count. The fabric says whether long
/// messages wait for their receivers.
[[nodiscard]] Seconds library_time(const simulate::Fabric& fabric, const Signature& signature,
                                   const BlockSizes& sizes);

/// That algorithm as a plan with times, to be looked at: its chunks say how long messages are, not
/// what they carry, and it states no bound.
[[nodiscard]] schedule::Plan library_plan(const simulate::Fabric& fabric,
                                          const Signature& signature, const BlockSizes& sizes);

}  // namespace espalier::runtime
