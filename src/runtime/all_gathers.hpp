#pragma once

#include "runtime/logic/gather_part.hpp"
#include "runtime/logic/recently_used.hpp"
#include "runtime/process.hpp"
#include "runtime/trials.hpp"

#include <mpi.h>

namespace espalier::runtime {

class Communicator;

/// The all-gathers of a communicator by the size class of their blocks: the ring of each, and what
/// became of its trial.
class AllGathers {
public:
    using AllGather = Tried<GatherPart>;

    /// What is known of blocks of that size; nullptr where there was none yet.
    [[nodiscard]] const AllGather* find(Bytes block);
    /// Collective at the first use of a size class. Throws MpiFailure.
    AllGather& of_blocks(MPI_Comm comm, const Communicator& communicator, Process& process,
                         Bytes block);

private:
    static constexpr std::size_t most_plans = 512;

    RecentlyUsed<Bytes, AllGather> plans_{most_plans};
};

}  // namespace espalier::runtime
