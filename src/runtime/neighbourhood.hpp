#pragma once

#include "core/matrix.hpp"
#include "runtime/operands.hpp"

#include <mpi.h>

#include <memory>
#include <vector>

namespace espalier::runtime {

/// Who has blocks for whom on a communicator with a topology, as its ranks agreed.
class Neighbourhood {
public:
    /// How neighbourhood collectives may be planned; the same on all ranks.
    enum class Use : int {
        even,    ///< of blocks of one size all ranks know how large they are
        direct,  ///< not all ranks are joined by edges: of others' blocks they know nothing
        twice,   ///< MPI's own: a rank is another's neighbour twice, or only one of them says so
        none,    ///< MPI's own: there is no topology, or too many ranks
    };

    /// Asks MPI for the neighbours of this rank, and the other ranks for theirs. Collective. Throws
    /// MpiFailure.
    [[nodiscard]] static std::shared_ptr<const Neighbourhood> agree(MPI_Comm comm, int rank,
                                                                    int size);

    [[nodiscard]] Use use() const { return use_; }
    [[nodiscard]] bool is_planned() const { return use_ == Use::even || use_ == Use::direct; }
    /// Blocks that come from others, one for each source.
    [[nodiscard]] const BlockIndex& sources() const { return sources_; }
    /// Blocks for others, one for each target.
    [[nodiscard]] const BlockIndex& targets() const { return targets_; }
    /// One block that is for all targets.
    [[nodiscard]] const BlockIndex& block_for_all() const { return block_for_all_; }
    /// Whether some rank has blocks for this one; whether this one has for others.
    [[nodiscard]] bool has_sources() const { return has_some(sources_); }
    [[nodiscard]] bool has_targets() const { return has_some(targets_); }

    /// Which rows have something for which columns. The leader's.
    [[nodiscard]] const std::shared_ptr<const Matrix<char>>& pairs() const { return pairs_; }

private:
    [[nodiscard]] static bool has_some(const BlockIndex& side);

    Use use_ = Use::none;
    BlockIndex sources_;
    BlockIndex targets_;
    BlockIndex block_for_all_;
    std::shared_ptr<const Matrix<char>> pairs_;
};

}  // namespace espalier::runtime
