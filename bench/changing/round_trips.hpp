#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"

#include <string>
#include <vector>

namespace espalier::bench {

/// Latencies of a network that changes: half the round trips of each ordered pair of nodes, slice
/// after slice.
struct RoundTrips {
    std::vector<std::string> nodes;  ///< by the numbers in their names
    std::vector<Matrix<Seconds>> slices;
};

/// Reads CSV with the columns slice (a number from 1), from, to and rtt_s; a file that ends in .gz
/// through zcat. 0 is a round trip under 5 ms, and taken for 2.5 ms. What is missing in a slice is
/// what it was in the one before (before the first value: that). Throws InputError naming the file
/// and line, and for pairs that no slice has.
[[nodiscard]] RoundTrips read_round_trips(const std::string& path);

}  // namespace espalier::bench
