#pragma once

#include <chrono>
#include <ctime>

namespace espalier::bench {

/// Seconds since it was made: of this thread's processor time, and by the clock on the wall.
class Stopwatch {
public:
    [[nodiscard]] double cpu() const { return cpu_now() - cpu_; }
    [[nodiscard]] double wall() const {
        return std::chrono::duration<double>(Clock::now() - wall_).count();
    }

private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] static double cpu_now() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    }
    double cpu_ = cpu_now();
    Clock::time_point wall_ = Clock::now();
};

}  // namespace espalier::bench
