// Preloaded into the ranks of an MPI job: libraries that poll without waiting keep every core busy,
// and where ranks share cores, the figures then tell of the scheduler instead of the network. Here,
// a poll that would not wait waits for at most a millisecond, unless something is ready before. Not
// so the first few after something was ready: Open MPI's event loop asks again before it lets the
// library look at what came, and nonblocking collectives, which look from within that loop, let it
// ask twice more; each message would take a millisecond longer. Nor those soon after one that
// waited in vain: MPICH polls once for every few of the requests that it tests.

#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include <algorithm>
#include <ctime>

namespace {

constexpr int patience_ms = 1;
constexpr suseconds_t patience_us = 1'000;
constexpr timespec patience{.tv_sec = 0, .tv_nsec = 1'000'000};

template <typename Function>
Function* real(const char* name, Function* /*its type*/) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_zero(const timespec* time) {
    return time != nullptr && time->tv_sec == 0 && time->tv_nsec == 0;
}

/// How long after a poll that waited in vain others don't wait.
constexpr long awake_ns = 20'000;

long now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// How many polls after one that found something don't wait.
constexpr int awake_polls = 3;

/// How many polls of this thread found nothing since one found something, and when it last waited
/// for that.
thread_local int found_nothing = awake_polls;
thread_local bool waited = false;
thread_local long waited_until = 0;

/// Whether a poll that would not wait is to wait now.
bool waits() {
    waited = found_nothing >= awake_polls && now_ns() - waited_until > awake_ns;
    return waited;
}

int kept(int found) {
    found_nothing = found == 0 ? std::min(found_nothing + 1, awake_polls) : 0;
    if (waited && found == 0) waited_until = now_ns();
    waited = false;
    return found;
}

}  // namespace

#define ESPALIER_REAL(name) static auto* const next = real(#name, &::name)

extern "C" {

#pragma GCC visibility push(default)

int poll(pollfd* descriptors, nfds_t count, int timeout) {
    ESPALIER_REAL(poll);
    return kept(next(descriptors, count, timeout == 0 && waits() ? patience_ms : timeout));
}

int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* signals) {
    ESPALIER_REAL(ppoll);
    return kept(
        next(descriptors, count, is_zero(timeout) && waits() ? &patience : timeout, signals));
}

int epoll_wait(int epoll, epoll_event* events, int most, int timeout) {
    ESPALIER_REAL(epoll_wait);
    return kept(next(epoll, events, most, timeout == 0 && waits() ? patience_ms : timeout));
}

int epoll_pwait(int epoll, epoll_event* events, int most, int timeout, const sigset_t* signals) {
    ESPALIER_REAL(epoll_pwait);
    return kept(
        next(epoll, events, most, timeout == 0 && waits() ? patience_ms : timeout, signals));
}

int select(int count, fd_set* to_read, fd_set* to_write, fd_set* special, timeval* timeout) {
    ESPALIER_REAL(select);
    const bool waits_itself = timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_usec != 0;
    timeval wait{.tv_sec = 0, .tv_usec = patience_us};
    return kept(
        next(count, to_read, to_write, special, waits_itself || !waits() ? timeout : &wait));
}

#pragma GCC visibility pop

}  // extern "C"
