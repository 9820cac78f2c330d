#pragma once

/// Slices the columns of an iterative computation over uneven hosts that share links: which ranks
/// take part, in which ring, and how many columns each has. For MPI programs in C++20; link
/// libespalier-ring-openmpi, -mpich or -smpi.

#include <mpi.h>
#include <espalier/ring_job.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace espalier {

/// Why there is no ring; one line. Thrown on all ranks of the communicator alike.
class RingError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The columns that move when a computation is sliced anew: in columns, by rank of the communicator
/// that the ring was made from, as MPI_Alltoallv takes them.
struct RingMove {
    std::vector<int> send_counts;
    std::vector<int> send_displacements;  ///< in the rank's old slice
    std::vector<int> receive_counts;
    std::vector<int> receive_displacements;  ///< in its new one
};

/// The result of an offer to slice anew. Seconds, predicted.
struct RingChange {
    bool sliced_anew = false;
    double step_time_before = 0;  ///< with the old slices at the speeds as measured
    double step_time_after = 0;   ///< with the best other ones
    double moving_time = 0;       ///< for the columns to get there
};

/// A ring over the ranks of a communicator, and this rank's part in it. Rank 0 plans, for messages
/// that share links fairly, and tells the others. Ranks on one host stand side by side and divide
/// its columns. A rank without columns is out of the ring.
///
/// In a step, each rank that takes part posts its two receives, computes, sends to its successor
/// and to its predecessor, and waits for all four; that is what the step time is predicted for.
/// With two ranks the one is both successor and predecessor of the other, so that tags have to tell
/// the directions apart; a rank that is alone is its own neighbour.
class Ring {
public:
    /// Collective over `comm`, which may be freed afterwards. Throws RingError on all ranks.
    Ring(MPI_Comm comm, const RingJob& job);
    /// Collective over the ring's own ranks; frees the communicators. Before MPI_Finalize.
    ~Ring();
    Ring(Ring&& other) noexcept;
    Ring& operator=(Ring&& other) noexcept;

    [[nodiscard]] bool takes_part() const;
    /// The ring's ranks in their order: rank i has place i. MPI_COMM_NULL out of the ring. Valid
    /// until the computation is sliced anew.
    [[nodiscard]] MPI_Comm communicator() const;
    /// The number of ranks in the ring.
    [[nodiscard]] int size() const;
    /// This rank's place in the ring, and its neighbours; MPI_PROC_NULL out of the ring.
    [[nodiscard]] int place() const;
    [[nodiscard]] int successor() const;
    [[nodiscard]] int predecessor() const;
    /// The number of this rank's columns, and the first of them; 0 out of the ring.
    [[nodiscard]] int count() const;
    [[nodiscard]] int first() const;
    /// The columns of all places, as MPI_Gatherv takes them.
    [[nodiscard]] const std::vector<int>& counts() const;
    [[nodiscard]] const std::vector<int>& displacements() const;
    /// The rank at each place, in the communicator that the ring was made from.
    [[nodiscard]] const std::vector<int>& ranks() const;
    /// Predicted, in the unit of the network's times, for these very counts.
    [[nodiscard]] double step_time() const;

    /// Looks for better slices for the hosts' speeds as they are now; call it at the boundary of a
    /// step. It changes the ring if the steps that are left (counted after the move) get shorter by
    /// more than moving all columns takes. Then this ring is the new one when adapt returns, and
    /// what it said before is void: move the columns next. Collective over the communicator that
    /// the ring was made from, including ranks out of the ring; costs one small gather, and
    /// planning.
    ///
    /// `seconds_per_column`: the seconds that this rank computed for one column in the last steps,
    /// 0 if it did not take part. The other arguments count as rank 0 gives them. Throws RingError
    /// on all ranks; then nothing has changed.
    [[nodiscard]] RingChange adapt(double seconds_per_column, std::int64_t steps_left,
                                   double bytes_per_column);
    /// The columns that move by the last change; before any change, none do.
    [[nodiscard]] const RingMove& move() const;
    /// Moves columns of so many elements each from the old slice to the new one, which are in
    /// memory one column after the other and may not overlap. Collective as adapt() is.
    void move_columns(const void* old_slice, void* new_slice, int elements_per_column,
                      MPI_Datatype type) const;

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace espalier
