#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// The root sends to one node, which roots a complete binary tree over the others; in segments. The
/// root spends one gap on each segment, as in a chain, at a binary tree's depth: for a coordinator
/// that has other clusters to serve as well.
[[nodiscard]] Strategy stem_binary();

}  // namespace espalier::plan::local
