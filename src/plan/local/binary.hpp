#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// A complete binary tree: position i sends to 2i + 1, then to 2i + 2 (steffenel-2006 Table 1). The
/// printed cost is an upper bound.
[[nodiscard]] Strategy binary();

}  // namespace espalier::plan::local
