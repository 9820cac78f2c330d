#pragma once

#include "core/meter.hpp"
#include "sender/price_flow.hpp"

#include <cstddef>
#include <vector>

namespace espalier::sender {

/// Prices in nodes, and the last tick that they prove too early a deadline.
struct TunedPrices {
    std::vector<double> price;
    std::size_t deadline = 0;
};

/// Moves prices so that they exclude later and later deadlines, up to `longest` ticks: by steps
/// along subgradients of what they bound. Every price is a multiple of 1 / price_unit(problem), so
/// that sums of them in floating point have no rounding where it matters, and what they exclude is
/// excluded.
[[nodiscard]] TunedPrices tune_prices(const TickProblem& problem, std::size_t longest,
                                      std::vector<double> start, std::size_t rounds,
                                      const Meter& meter);

[[nodiscard]] double price_unit(const TickProblem& problem);

}  // namespace espalier::sender
