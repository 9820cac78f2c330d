#pragma once

#include "comparison.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::bench {

/// legrand-2003, Figures 5, 6 (ring sizes) and 13, 14 (what refinements gain) by H/W: tables of
/// means, and where `folder` is not empty, plots and all cells as CSV.
void draw_comparison(const std::string& title, const std::string& file,
                     const std::vector<Cell>& cells, const std::string& folder);

/// Figures 7 to 12: T / W by the size of a greedily grown ring, at each H/W; the mean of as many
/// platforms, and the first by itself.
void draw_growth(std::size_t hosts, std::size_t seeds, const std::vector<double>& ratios,
                 const std::string& folder);

/// Prints the times that the three methods to divide bandwidth take, on random rings.
void time_rates(const std::vector<std::size_t>& hosts, std::size_t rings);

}  // namespace espalier::bench
