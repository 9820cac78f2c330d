#pragma once

namespace espalier::runtime {

/// Makes this process ready when MPI has just been initialised: all ranks of MPI_COMM_WORLD agree
/// on the network that their collectives are planned on, which may have to be measured first.
/// Collective over MPI_COMM_WORLD. Where anything goes wrong, it says so, and all is left to MPI.
void start() noexcept;

}  // namespace espalier::runtime
