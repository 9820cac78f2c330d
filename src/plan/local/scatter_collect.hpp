#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// The message in P blocks, scattered down a binomial tree and collected by everyone around a ring
/// (steffenel-2006 Table 1, after Thakur and Gropp). Nothing is sent to a node that already
/// holds it: the ring ends before the root, and skips what the scatter brought.
[[nodiscard]] Strategy scatter_collect();

}  // namespace espalier::plan::local
