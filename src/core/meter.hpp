#pragma once

#include "core/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace espalier {

/// Counts what a search uses of its limits.
class Meter {
public:
    static constexpr Seconds step{5e-9};  ///< what a step takes, about

    explicit Meter(const Limits& limits)
        : time_(std::clamp(limits.time.value, 0.0, longest)),
          limits_(limits),
          begin_(Clock::now()) {}

    void spend(std::uint64_t steps) { spent_ += steps; }
    [[nodiscard]] std::uint64_t spent() const { return spent_; }
    /// The steps that are left; the greatest number there is if work is not limited.
    [[nodiscard]] std::uint64_t work_left() const {
        const std::uint64_t most = limits_.most_steps();
        return most > spent_ ? most - spent_ : 0;
    }

    /// The part that is used of the limit that is nearer to being used up: 0 at first, 1 at the
    /// end.
    [[nodiscard]] double used() const {
        const double time = time_ > 0 ? elapsed() / time_ : 1;
        return std::min(std::max(time, work_used()), 1.0);
    }
    [[nodiscard]] bool over() const { return used() >= 1; }

    /// Whether so many steps are likely to fit into what is left. What is over in a moment always
    /// does, so that somebody who is asked for a small plan has one on any budget.
    [[nodiscard]] bool affords(double steps) const {
        const double in_time = std::max(time_ - elapsed(), 0.0) / step.value;
        const double left = std::min(in_time, static_cast<double>(work_left()));
        const bool fits = steps <= std::max(a_moment, left);
        ran_short_ = ran_short_ || !fits;
        return fits;
    }
    /// Whether more would have been done with twice as much: what was asked for did not fit, or
    /// most was used.
    [[nodiscard]] bool ran_short() const { return ran_short_ || used() > 0.5; }

    /// A part, at most all, of what is left.
    [[nodiscard]] Limits share(double part) const {
        const Seconds time(std::max(time_ - elapsed(), 0.0) * part);
        if (!limits_.work) return {time};
        const std::uint64_t left = work_left();
        return {time,
                part < 1 ? static_cast<std::uint64_t>(static_cast<double>(left) * part) : left};
    }

    /// Likewise, and counts it as spent.
    [[nodiscard]] Limits take(double part) {
        const Limits taken = share(part);
        if (limits_.work) spend(*taken.work);
        return taken;
    }

    /// What `look(meter)` returns, given a part of what is left; what it spends of that is spent
    /// here.
    template <typename Look>
    [[nodiscard]] auto lend(double part, Look look) {
        Meter own(share(part));
        auto found = look(own);
        spend(own.spent());
        ran_short_ = ran_short_ || own.ran_short_;
        return found;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr double longest = 1e8;
    static constexpr double a_moment = 200'000;  // steps

    [[nodiscard]] double elapsed() const {
        return std::chrono::duration<double>(Clock::now() - begin_).count();
    }
    [[nodiscard]] double work_used() const {
        if (!limits_.work) return 0;
        return *limits_.work > 0 ? static_cast<double>(spent_) / static_cast<double>(*limits_.work)
                                 : 1;
    }

    double time_;
    Limits limits_;
    std::uint64_t spent_ = 0;
    mutable bool ran_short_ = false;
    Clock::time_point begin_;
};

}  // namespace espalier
