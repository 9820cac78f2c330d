#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::slices {

/// Whole columns for shares that sum to 1: each share's whole part, and one more for those that
/// lose most by that (largest remainders; the first of equals). They sum to `columns`.
[[nodiscard]] std::vector<int> round_to_columns(std::span<const double> shares, int columns);

/// How the columns of a computation are sliced over the ranks of a communicator: who has how many,
/// in the order of the ring, whose first rank has the first ones.
struct RingSlices {
    std::vector<int> ranks;
    std::vector<int> counts;  ///< parallel, each > 0
    double step_time = 0;     ///< predicted, with these counts

    friend bool operator==(const RingSlices&, const RingSlices&) = default;
    /// The first column of each place.
    [[nodiscard]] std::vector<int> displacements() const;
    /// The columns of each of `size` ranks; 0 for those out of the ring.
    [[nodiscard]] std::vector<int> counts_by_rank(int size) const;
};

/// Columns that change hands when a computation is sliced anew.
struct ColumnMove {
    int from = 0;  ///< rank
    int to = 0;    ///< may be the same one
    int first = 0;
    int count = 0;
};
/// All columns, those that stay included, in their order.
[[nodiscard]] std::vector<ColumnMove> moves_between(const RingSlices& before,
                                                    const RingSlices& after);

}  // namespace espalier::slices
