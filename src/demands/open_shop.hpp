#pragma once

#include "demands/problem.hpp"

namespace espalier::demands {

/// exchange::open_shop(), also where receives have no order (schedule::Reception; bhat-1998, 6.1).
/// Then the sender that is free first sends where the receiver lets it start first (buffered), or
/// is the least loaded (interleaved). What remains equal is decided in two or three ways; of those
/// orders and that of the base model, the first is returned that is over first. O(P^3) for P nodes,
/// times the length of a receiver's queue.
[[nodiscard]] Found open_shop(const Problem& problem, const Limits& limits);

}  // namespace espalier::demands
