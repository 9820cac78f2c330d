#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace espalier::plan::bounds {

/// What one unit of something takes of one resource.
struct Use {
    std::size_t resource = 0;
    double amount = 0;  ///< > 0
};

/// So many comparisons, or products, of numbers that lie side by side make a step of a Meter.
inline constexpr std::size_t operations_a_step = 8;

/// Prices of resources at which one unit of anything costs at least 1, so that all that the supply
/// can make is worth no more than the supply: sum of price * supply, the least of it for such
/// prices (the dual of a packing program, by the revised simplex method). `uses`: what a unit of
/// each thing takes. Empty where some thing takes nothing, so that there may be any amount of it.
[[nodiscard]] std::vector<double> least_prices(std::span<const std::vector<Use>> uses,
                                               std::span<const double> supply);

}  // namespace espalier::plan::bounds
