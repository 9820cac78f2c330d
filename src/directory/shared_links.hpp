#pragma once

#include "directory/known_costs.hpp"
#include "directory/rules.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace espalier::directory {

/// Pairs of nodes, by index, that together move no more than this.
struct SharedLink {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;  ///< increasing, each once
    double capacity = 0;                                     ///< bytes per second
};

struct SharedLinks {
    std::vector<SharedLink> links;
    /// How many of the joint measurements say nothing, because some of their pairs were never
    /// measured alone or are not in the network.
    std::size_t unclear = 0;
};

/// Pairs that were measured while all of them were active, and whose rates were then clearly less
/// than alone: by a tenth together, or by a quarter for one of them. The capacity is the sum of
/// what they then had; a pair whose rate nobody took at that time is supposed to have had as much
/// as those whose rate was taken had on average, but no more than alone. Groups that reach the same
/// capacity, to a twentieth, are one link where each two of their pairs were found to share.
/// Counts the measurements used in `known`.
[[nodiscard]] SharedLinks find_shared_links(const std::vector<Value>& values, KnownCosts& known);

}  // namespace espalier::directory
