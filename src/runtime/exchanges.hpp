#pragma once

#include "runtime/logic/exchange_part.hpp"
#include "runtime/logic/recently_used.hpp"
#include "runtime/process.hpp"
#include "runtime/trials.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::runtime {

class Communicator;

/// The total exchanges of a communicator: their plans, and what became of their trials. Blocks of
/// one size are planned for their size class. Of blocks that differ each rank knows its own only:
/// the leader gathers all sizes at the 1st, 2nd, 4th, 8th, … such call, which all ranks count
/// alike, and plans for them anew; the calls between follow the plan that there is, in whatever
/// sizes they have.
class Exchanges {
public:
    struct Exchange : Tried<ExchangePart> {
        std::uint64_t calls = 0;     ///< of blocks that differ
        std::size_t gatherings = 0;  ///< of all sizes
    };

    /// What is known of exchanges with blocks of `block` bytes, or that differ; nullptr where there
    /// was none yet.
    [[nodiscard]] const Exchange* find(Bytes block);
    [[nodiscard]] const Exchange* find_uneven() const { return uneven_ ? &*uneven_ : nullptr; }

    /// With blocks of `block` bytes, at most an int's worth; collective at the first use of a size
    /// class. Throws MpiFailure.
    Exchange& of_blocks(MPI_Comm comm, const Communicator& communicator, Process& process,
                        Bytes block);
    /// With blocks that differ: this rank's own go to the others as `row` says; collective at the
    /// calls named above.
    Exchange& of_sizes(MPI_Comm comm, const Communicator& communicator, Process& process,
                       const std::vector<std::uint64_t>& row);

private:
    static constexpr std::size_t most_plans = 512;

    RecentlyUsed<Bytes, Exchange> uniform_{most_plans};  ///< by the size class of a block
    std::optional<Exchange> uneven_;
};

}  // namespace espalier::runtime
