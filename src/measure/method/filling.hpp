#pragma once

#include "measure/method/bottlenecks.hpp"

#include <vector>

namespace espalier::measure {

/// The bytes per second that all hosts of these pairs of clusters get together, if what is known
/// limits them and nothing else: the rates of all grow evenly until a card or a capacity is full,
/// then those of the others (max-min fairness). Infinite where nothing limits a pair.
[[nodiscard]] double filling(const Surroundings& surroundings, const std::vector<Bottleneck>& known,
                             const std::vector<ClusterPair>& pairs);

}  // namespace espalier::measure
