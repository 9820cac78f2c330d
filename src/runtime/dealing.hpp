#pragma once

#include "core/units.hpp"
#include "runtime/call.hpp"
#include "runtime/communicator.hpp"
#include "runtime/layout.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/logic/refit.hpp"

#include <mpi.h>

#include <span>
#include <vector>

namespace espalier::runtime {

// What the leader of a communicator hears from its ranks, and tells them. All is collective, and
// throws MpiFailure. What comes before a call goes straight between the leader and each rank,
// which the start has connected if it leads MPI_COMM_WORLD: along a tree it would go over new
// connections, and over long paths more than once.

/// The greatest of what ranks say, at the leader.
[[nodiscard]] double tell_leader(double own, MPI_Comm comm);
/// The leader's values, everywhere.
void hear_leader(std::span<double> values, MPI_Comm comm);

/// Everybody's sizes of blocks in a call of `kind`, at the leader.
[[nodiscard]] BlockSizes gather_sizes(const Call& call, schedule::Kind kind,
                                      const Communicator& communicator);
/// The largest of them; 0 where there are none.
[[nodiscard]] Bytes largest(const BlockSizes& sizes);

/// The leader's shares, each to its rank.
[[nodiscard]] PlannedCollective deal(MPI_Comm comm, const std::vector<PlannedCollective>& shares);

/// Whom each rank heard in the call that was looked at, at the leader. Of very many a rank tells
/// those that it waited for longest.
[[nodiscard]] std::vector<Stream> gather_streams(std::vector<Executor::Heard> heard,
                                                 const Communicator& communicator, MPI_Comm comm);

/// Measures the round trips between the ranks that the leader names, all at once: the shortest of a
/// few. The leader hears them; the others bring none.
void measure_round_trips(std::vector<RoundTrip>& trips, const Seat& seat);

}  // namespace espalier::runtime
