#include "testbed/promptness.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
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

FileDescriptor keep_processors_awake() {
    FileDescriptor latency(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
    constexpr std::int32_t most = 0;  // us
    if (latency && write(latency.get(), &most, sizeof most) != sizeof most) return {};
    return latency;
}

}  // namespace espalier::testbed
