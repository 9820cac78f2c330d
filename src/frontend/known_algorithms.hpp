#pragma once

#include "schedule/algorithm_entry.hpp"

#include <vector>

namespace espalier::frontend {

using schedule::AlgorithmEntry;
using schedule::Family;

/// Every algorithm there is, from the tables of all layers.
[[nodiscard]] const std::vector<const AlgorithmEntry*>& known_algorithms();

}  // namespace espalier::frontend
