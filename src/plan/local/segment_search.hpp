#pragma once

#include "core/units.hpp"

#include <cstddef>
#include <functional>
#include <limits>

namespace espalier::plan::local {

/// The time of a message in a given number of segments: a formula, or the simulated time of exactly
/// that schedule.
using SegmentObjective = std::function<Seconds(std::size_t segments)>;

/// Limits of the number of segments into which a message is cut: at most one a byte, and at most
/// `most`, which keeps an objective that simulates affordable.
struct SegmentLimits {
    Bytes bytes;
    std::size_t most = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] std::size_t greatest() const;
};

struct SegmentChoice {
    std::size_t segments = 1;
    Seconds time;
};

/// Tries s = m / 2^i for every i with s of at least one byte (steffenel-2006 section 4.2), that is
/// 1, 2, 4, ... segments; the fewest segments among equals.
[[nodiscard]] SegmentChoice best_segments_full(SegmentLimits limits,
                                               const SegmentObjective& objective);

/// Local hill climbing as Kielmann et al. refine a power of two: from `start` it doubles or halves
/// the number of segments while that helps, then tries ever smaller steps to both sides down to one
/// segment. Never worse than `start`, and best where the objective has one valley; it needs some
/// 3 log2(k) evaluations of the objective, none of them twice.
[[nodiscard]] SegmentChoice best_segments_hill_climbing(SegmentLimits limits,
                                                        const SegmentObjective& objective,
                                                        std::size_t start = 1);

}  // namespace espalier::plan::local
