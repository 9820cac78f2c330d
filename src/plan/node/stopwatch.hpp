#pragma once

#include "core/units.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace espalier::plan::node {

/// Tells when a search has used up its time or its work.
class Stopwatch {
public:
    explicit Stopwatch(Seconds limit,
                       std::uint64_t work = std::numeric_limits<std::uint64_t>::max())
        : work_(work),
          end_(Clock::now() +
               std::chrono::duration_cast<Clock::duration>(
                   std::chrono::duration<double>(std::clamp(limit.value, 0.0, longest)))) {}

    [[nodiscard]] bool over() const { return work_ == 0 || Clock::now() >= end_; }
    /// Counts steps of some nanoseconds against the work that is allowed.
    void spend(std::uint64_t steps) { work_ -= std::min(work_, steps); }
    [[nodiscard]] std::uint64_t work_left() const { return work_; }
    [[nodiscard]] Seconds left() const {
        return Seconds(std::chrono::duration<double>(end_ - Clock::now()).count());
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double longest = 1e8;  // so that no duration overflows
    std::uint64_t work_;
    Clock::time_point end_;
};

}  // namespace espalier::plan::node
