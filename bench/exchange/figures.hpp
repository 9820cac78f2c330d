#pragma once

#include "core/units.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace espalier::bench {

struct FigureSettings {
    std::vector<std::size_t> nodes{5, 10, 15, 20, 25, 30, 35, 40, 45, 50};
    std::size_t runs = 50;  ///< of each number of nodes and pattern
    std::uint64_t seed = 1;
    Seconds limit{0.01};              ///< of those that search
    std::size_t matching_most = 200;  ///< nodes; a series of matchings takes up to O(P^4)
    std::string folder;               ///< for the tables; empty: they are printed only
};

/// Figures 9 to 12 of bhat-1998 as tables: completion times, their ratios to the lower bound, what
/// planning takes, and what of the paper's claims holds.
void draw_figures(const FigureSettings& settings);

}  // namespace espalier::bench
