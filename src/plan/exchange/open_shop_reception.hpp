#pragma once

#include "plan/exchange/problem.hpp"

namespace espalier::plan::exchange {

/// Open shop where receives have no order (schedule::Reception; bhat-1998, 6.1). The sender that is
/// free first sends where the receiver lets it start first (buffered), or is the least loaded
/// (interleaved). What remains equal is decided in two or three ways; of those orders and `serial`,
/// the order of the base model, the first is returned that is over first. O(P^3) for P nodes, times
/// the length of a receiver's queue.
[[nodiscard]] Order open_shop_reception(const Problem& problem, const Order& serial);

}  // namespace espalier::plan::exchange
