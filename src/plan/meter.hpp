#pragma once

#include "plan/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace espalier::plan {

/// What a search has used of its limits.
class Meter {
public:
    explicit Meter(const Limits& limits)
        : time_(std::clamp(limits.time.value, 0.0, longest)),
          work_(limits.work),
          begin_(Clock::now()) {}

    void spend(std::uint64_t steps) { spent_ += steps; }
    [[nodiscard]] std::uint64_t spent() const { return spent_; }
    [[nodiscard]] std::uint64_t work_left() const { return work_ > spent_ ? work_ - spent_ : 0; }

    /// Of the limit that is nearer to being used up: 0 at first, 1 at the end.
    [[nodiscard]] double used() const {
        const double time = time_ > 0 ? elapsed() / time_ : 1;
        const double work =
            work_ > 0 ? static_cast<double>(spent_) / static_cast<double>(work_) : 1;
        return std::min(std::max(time, work), 1.0);
    }
    [[nodiscard]] bool over() const { return used() >= 1; }

    /// A part, at most all, of what is left.
    [[nodiscard]] Limits share(double part) const {
        constexpr double unit = 1024;
        return {Seconds(std::max(time_ - elapsed(), 0.0) * part),
                work_left() / static_cast<std::uint64_t>(unit) *
                    static_cast<std::uint64_t>(part * unit)};
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double longest = 1e8;

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - begin_).count();
    }

    double time_;
    std::uint64_t work_;
    std::uint64_t spent_ = 0;
    Clock::time_point begin_;
};

}  // namespace espalier::plan
