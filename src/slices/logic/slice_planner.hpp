#pragma once

#include "core/limits.hpp"
#include "espalier/ring_job.hpp"
#include "network/network.hpp"
#include "ring/embedding.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace espalier::slices {

/// Whole columns for shares that sum to 1: each share's whole part, and one more for those that
/// lose most by that (largest remainders; the first of equals). They sum to `columns`.
[[nodiscard]] std::vector<int> round_to_columns(std::span<const double> shares, int columns);

/// The slices of a computation's columns over the ranks of a communicator: how many columns each
/// rank has, in the order of the ring, whose first rank has the first columns.
struct RingSlices {
    std::vector<int> ranks;
    std::vector<int> counts;  ///< parallel, each > 0
    double step_time = 0;     ///< predicted, with these counts
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

/// Slices a computation over the hosts of a communicator's ranks, for links that are shared fairly.
/// Ranks on one host stand side by side in the ring and divide its columns evenly. What it needs no
/// MPI for; the rank that leads has one.
class SlicePlanner {
public:
    /// `network` is that of the job's file; `hosts`: each rank's host by name; names may be short
    /// on one side and full on the other; `limits` of each planning. Automatic sharing is alike.
    /// Throws InputError naming the file for a model that can't be planned on, a host that is not
    /// in the network, and work, exchange or columns that are not positive.
    SlicePlanner(const network::Network& network, const std::vector<std::string>& hosts,
                 const RingJob& job, const Limits& limits);

    [[nodiscard]] RingSlices plan();

    /// What slicing anew would bring.
    struct Outlook {
        RingSlices slices;
        double step_time_now = 0;   ///< with the old slices, at the speeds as they are now
        double time_of_moving = 0;  ///< until all columns are where they belong
        bool pays = false;          ///< over the steps that are left
    };
    /// Plans anew for measured speeds: `seconds` that each rank computes for one column, 0 where it
    /// did not compute. A host that nobody has measured yet is taken at the network's word, times
    /// the median of what was measured to what the network says. Columns hold `column_bytes` each.
    /// The same ring with other shares or the best other one, whichever is done first.
    [[nodiscard]] Outlook look_ahead(const RingSlices& now, std::span<const double> seconds,
                                     double steps_left, double column_bytes);

private:
    /// Hosts in the order of a ring, and what of the work each has.
    struct Parts {
        std::vector<ring::Host> order;
        std::vector<double> shares;
    };

    void place_ranks(const std::vector<std::string>& hosts);
    void learn(const RingSlices& now, std::span<const double> seconds);
    [[nodiscard]] Parts parts_of(const RingSlices& slices) const;
    [[nodiscard]] RingSlices slice(const Parts& parts) const;
    [[nodiscard]] RingSlices slice_near(const RingSlices& now, Parts parts) const;
    [[nodiscard]] double predict(const ring::Problem& problem, const RingSlices& slices) const;
    [[nodiscard]] double time_of(const ring::Problem& problem, const std::vector<ColumnMove>& moves,
                                 double column_bytes) const;

    RingJob job_;
    Limits limits_;
    bool by_round_trips_;                  ///< how messages share links: ring::Problem
    network::LinksNetwork network_;        ///< its hosts are those that have ranks
    std::vector<std::vector<int>> ranks_;  ///< of each host
    std::vector<ring::Host> host_;         ///< of each rank
    std::vector<double> stated_;           ///< cycle times, by the network
    std::vector<double> measured_;         ///< likewise, as last measured; 0: never
};

}  // namespace espalier::slices
