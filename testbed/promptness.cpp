#include "testbed/promptness.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>

namespace espalier::testbed {

namespace {

constexpr Nanoseconds second = 1'000'000'000;
/// What is done on the way, beside wake-ups.
constexpr Nanoseconds handling = 8'000;

/// The median of how much longer a wait takes than was asked for.
Nanoseconds lateness_of(Nanoseconds wait, std::size_t times) {
    std::vector<Nanoseconds> late;
    for (std::size_t i = 0; i < times; ++i) {
        const Nanoseconds start = now();
        const timespec asked{.tv_sec = 0, .tv_nsec = wait};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &asked, nullptr);
        late.push_back(now() - start - wait);
    }
    const auto middle = late.begin() + static_cast<std::ptrdiff_t>(times / 2);
    std::ranges::nth_element(late, middle);
    return *middle;
}

}  // namespace

Nanoseconds now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * second + time.tv_nsec;
}

void be_prompt() {
    prctl(PR_SET_TIMERSLACK, 1UL);
    const sched_param priority{.sched_priority = 1};
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0)
        (void)setpriority(PRIO_PROCESS, 0, -10);
}

OwnDelays own_delays() {
    return {.busy = 2 * lateness_of(50'000, 101) + handling,
            .idle = 2 * lateness_of(2'000'000, 31) + handling};
}

}  // namespace espalier::testbed
