#pragma once

#include "runtime/logic/gather_part.hpp"
#include "runtime/logic/recently_used.hpp"
#include "runtime/logic/trial.hpp"
#include "runtime/process.hpp"

#include <mpi.h>

#include <memory>
#include <string>

namespace espalier::runtime {

class Communicator;

/// The all-gathers of a communicator by the size class of their blocks: the ring of each, and what
/// became of its trial.
class AllGathers {
public:
    struct AllGather {
        struct Plan {
            GatherPart part;
            Program program;
        };
        std::shared_ptr<const Plan> plan;
        Trial trial;
        Bytes planned_bytes;

        /// It is MPI's own from now on.
        [[nodiscard]] bool is_native() const {
            return trial.is_over() && trial.next() == Trial::Way::native;
        }
        /// Why a call is MPI's own.
        [[nodiscard]] std::string reason() const {
            return plan->part.is_native() ? plan->part.refusal : trial.finding();
        }
    };

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
