#pragma once

#include "core/limits.hpp"
#include "network/network.hpp"
#include "ring/embedding.hpp"
#include "slices/logic/ring_slices.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace espalier::slices {

/// How the ranks of a ring are chosen and ordered.
enum class SliceOrder {
    planned,   ///< for the shortest step
    by_speed,  ///< all, as the network lists their hosts; shares proportional to speed
    random,    ///< all, in a random order; shares proportional to speed
};

/// What is sliced over a ring, and how it may be planned.
struct SliceJob {
    double work = 0;      ///< W of a step, in the unit of the network's cycle times
    double exchange = 0;  ///< H, in the unit of the network's bandwidths: bytes
    int columns = 0;
    SliceOrder order = SliceOrder::planned;
    Limits limits;
    std::uint64_t seed = 1;
    bool by_round_trips = false;  ///< how messages share links: ring::Problem
};

/// Slices a computation over the hosts of a communicator's ranks, for links that are shared fairly.
/// Ranks on one host stand side by side in the ring and divide its columns evenly. What it needs no
/// MPI for; the rank that leads has one.
class SlicePlanner {
public:
    /// `hosts`: each rank's host by name; names may be short on one side and full on the other.
    /// Throws InputError naming `source` for a model that can't be planned on, a host that is not
    /// in the network, and work, exchange or columns that are not positive.
    SlicePlanner(const network::Network& network, const std::string& source,
                 const std::vector<std::string>& hosts, const SliceJob& job);

    [[nodiscard]] RingSlices plan();

    /// What slicing anew would bring.
    struct Outlook {
        RingSlices slices;
        double step_time_now = 0;   ///< with the old slices, at the speeds as they are now
        double step_time_then = 0;  ///< with the new ones
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
    void place_ranks(const std::vector<std::string>& hosts);
    void learn(const RingSlices& now, std::span<const double> seconds);
    [[nodiscard]] std::vector<ring::Host> hosts_of(const RingSlices& slices) const;
    [[nodiscard]] std::vector<double> shares_of(const RingSlices& slices) const;
    [[nodiscard]] RingSlices slice(std::span<const ring::Host> order,
                                   std::span<const double> shares) const;
    [[nodiscard]] RingSlices slice_near(const RingSlices& now,
                                        const ring::Solution& solution) const;
    [[nodiscard]] double predict(const ring::Problem& problem, const RingSlices& slices) const;
    [[nodiscard]] double time_of(const ring::Problem& problem, const std::vector<ColumnMove>& moves,
                                 double column_bytes) const;

    std::string source_;
    SliceJob job_;
    network::LinksNetwork network_;        ///< its hosts are those that have ranks
    std::vector<std::vector<int>> ranks_;  ///< of each host
    std::vector<ring::Host> host_;         ///< of each rank
    std::vector<double> stated_;           ///< cycle times, by the network
    std::vector<double> measured_;         ///< likewise, as last measured; 0: never
};

}  // namespace espalier::slices
