#pragma once

#include "runtime/logic/planned_collective.hpp"
#include "simulate/fabric.hpp"

namespace espalier::runtime {

/// How long an MPI library's own algorithm takes for a reduction, an all-reduce, a reduce-scatter
/// or a scan, as simulated: the best of those that know nothing of the network but the ranks'
/// numbers. Binomial trees and chains of segments; recursive doubling; halving the vector from
/// round to round, and gathering what it came to; rings; what they are made of one after the other.
/// Where operands have to stay in order, those that keep it.
[[nodiscard]] Seconds library_time(const simulate::Fabric& fabric, const Signature& signature,
                                   const BlockSizes& sizes);

}  // namespace espalier::runtime
