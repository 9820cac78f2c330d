#pragma once

#include "directory/known_costs.hpp"
#include "directory/rules.hpp"

#include <vector>

namespace espalier::directory {

/// Sets PairCosts::both_ways of pairs that were measured while exactly the other direction was
/// active, too, from the newest such value, and of equally new ones that of the largest messages.
/// Counts the measurements used in `known`.
void find_traffic_both_ways(const std::vector<Value>& values, KnownCosts& known);

}  // namespace espalier::directory
