#pragma once

#include "schedule/algorithm_entry.hpp"

#include <string>
#include <vector>

namespace espalier::frontend {

using schedule::AlgorithmEntry;
using schedule::Family;

/// Every algorithm there is, from the tables of all layers.
[[nodiscard]] const std::vector<const AlgorithmEntry*>& known_algorithms();

/// The names of the collectives for which there is an algorithm.
[[nodiscard]] std::vector<std::string> planned_collectives();

}  // namespace espalier::frontend
