#pragma once

#include "plan/composed/problem.hpp"

#include <cstdint>
#include <vector>

namespace espalier::plan::composed {

/// Which block of a scatter leaves next.
enum class HelperOrder {
    slowest_cluster,   ///< all of the cluster whose blocks take the longest from the root
    slowest_remaining  ///< of the cluster whose remaining blocks do
};

/// A scatter of blocks one by one, chunk r being rank r's, each on the way of at most two relays
/// (one where the meter does not afford more, or none) that ends soonest after the blocks before
/// it, where each second for which it keeps the root's port counts `weight` seconds more.
[[nodiscard]] std::vector<schedule::Transfer> scatter_through_helpers(
    const Problem& problem, const std::vector<std::uint64_t>& blocks, HelperOrder order,
    double weight, Meter& meter);

}  // namespace espalier::plan::composed
