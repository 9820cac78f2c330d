#pragma once

#include "plan/gather/aim.hpp"

namespace espalier::plan::gather {

/// Up to this many nodes, all rings can be tried: 7! = 5040 at most.
inline constexpr std::size_t most_enumerated = 8;

/// The best ring of all, by trying them.
[[nodiscard]] Order best_of_all(const Problem& problem, Aim aim);

}  // namespace espalier::plan::gather
