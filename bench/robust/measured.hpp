#pragma once

#include "core/units.hpp"
#include "schedule/collective.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::bench {

/// Makespans of a plan for the medians of what was measured, and of one for a percentile by the
/// spreads of that, in what was measured later.
struct Measured {
    std::vector<double> plain;
    std::vector<double> robust;
};

/// Plans between nodes drawn from those of a file (round_trips.hpp), on the first half of its
/// slices; each pair has 1 Gbit/s. The plans are performed in each slice of the second half.
[[nodiscard]] Measured perform_measured(const std::string& file, schedule::Kind kind, Bytes bytes,
                                        unsigned percentile, std::size_t nodes, std::size_t draws);

}  // namespace espalier::bench
