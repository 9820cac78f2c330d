#pragma once

#include "core/units.hpp"

#include <algorithm>
#include <chrono>

namespace espalier::plan::node {

/// Tells when a search has used up its time.
class Stopwatch {
public:
    explicit Stopwatch(Seconds limit)
        : end_(Clock::now() +
               std::chrono::duration_cast<Clock::duration>(
                   std::chrono::duration<double>(std::clamp(limit.value, 0.0, longest)))) {}

    [[nodiscard]] bool over() const { return Clock::now() >= end_; }
    [[nodiscard]] Seconds left() const {
        return Seconds(std::chrono::duration<double>(end_ - Clock::now()).count());
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double longest = 1e8;  // so that no duration overflows
    Clock::time_point end_;
};

}  // namespace espalier::plan::node
