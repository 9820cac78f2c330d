#include "testbed/promptness.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <ctime>

namespace espalier::testbed {

namespace {

constexpr Nanoseconds second = 1'000'000'000;

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

}  // namespace espalier::testbed
