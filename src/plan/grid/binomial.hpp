#pragma once

#include "plan/grid/problem.hpp"

#include <span>

namespace espalier::plan::grid {

/// A binomial tree over the clusters in their order, beginning with the root and going round,
/// whatever their links: in round r, each of the first 2^r clusters sends to the one 2^r further
/// on. The grid-unaware baseline (steffenel-2006, section 7).
[[nodiscard]] Order binomial(const Problem& problem);

/// Appends the binomial tree over `members`, whose first one holds the message.
void append_binomial(std::span<const std::size_t> members, Order& order);

}  // namespace espalier::plan::grid
