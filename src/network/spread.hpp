#pragma once

#include "core/matrix.hpp"
#include "network/grid_view.hpp"
#include "network/network.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::network {

// A cost is not one number. What a link takes, and what bytes take of a shared capacity, is
// log-normal: its median is the stated cost, and the standard deviation of its logarithm ln(1 + s),
// s being the relative spread. So two of three values are between median / (1 + s) and
// median (1 + s). What states no spread has the network's uncertainty for one. What a node sends
// and receives in all, and a cluster's own broadcast time, are taken to be exact.

/// A network that a grid may turn out to be: the factors by which its costs are other than stated.
struct Scenario {
    Matrix<double> links;             ///< from leaf to leaf of the view; the diagonal: inside one
    std::vector<double> within_node;  ///< by leaf
    std::vector<double> shared;       ///< of the time that bytes take of each shared capacity
};

/// The number of scenarios, each as likely as any other: one for each per cent.
inline constexpr std::size_t scenario_count = 100;

/// The scenarios of a grid, the same on every machine: each cost is in one scenario at the middle
/// of each hundredth of its distribution (Latin hypercube sampling; McKay, Beckman and Conover
/// 1979), in an order of its own. They come in pairs, of which the second has the reciprocals of
/// the first's factors (antithetic variates). Leaves between which one link is stated share its
/// draws. Plans are compared in those of the first seed; of another one are what no plan has seen.
[[nodiscard]] std::vector<Scenario> draw_scenarios(const GridView& view, std::uint64_t seed = 1);

/// The grid with every cost at a percentile of its distribution, in (0, 100): what one message may
/// take.
[[nodiscard]] GridNetwork at_percentile(const GridNetwork& grid, double percentile);
/// The grid with every cost at its mean: what each of many messages takes, if they come one after
/// the other over links that have nothing to do with each other.
[[nodiscard]] GridNetwork at_mean(const GridNetwork& grid);

}  // namespace espalier::network
