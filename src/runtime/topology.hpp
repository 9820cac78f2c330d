#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

namespace espalier::runtime {

/// The neighbours of one rank in the topology of a communicator, in the order in which collectives
/// have their blocks; MPI_PROC_NULL where there is none.
struct Neighbours {
    std::vector<int> sources;
    std::vector<int> targets;
};

/// Those of this rank; nullopt where the communicator has no topology. Throws MpiFailure.
[[nodiscard]] std::optional<Neighbours> neighbours_in(MPI_Comm comm);

/// A communicator of the ranks of `like`, in their order, with its topology, if it has one, made of
/// `comm`, which has the same ranks and is freed. Collective. Throws MpiFailure.
[[nodiscard]] MPI_Comm with_topology_of(MPI_Comm like, MPI_Comm comm);

}  // namespace espalier::runtime
