#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// The message in P blocks, scattered down a binomial tree and collected by everyone around a ring
/// (steffenel-2006 Table 1, after Thakur and Gropp). Blocks travel as messages of their own, and
/// nothing is sent to a node that already holds it.
[[nodiscard]] Strategy scatter_collect();

}  // namespace espalier::plan::local
