#include "meeting.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <span>
#include <stdexcept>
#include <utility>

namespace espalier::bench {

namespace {

// All ranks have to be asleep by then.
constexpr double lead_s = 0.004;
constexpr long poll_ns = 1'000'000;

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

timespec to_timespec(double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    return {whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}

/// Sleeps while the word has this value; for so long at most, where that is given.
void wait_while(std::atomic<std::uint32_t>& word, std::uint32_t value, const timespec* longest) {
    syscall(SYS_futex, &word, FUTEX_WAIT, value, longest, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

double monotonic_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void sleep_until(double seconds) {
    const timespec until = to_timespec(seconds);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
    }
}

Meeting::Meeting(const std::string& path, int rank, int ranks, std::function<void()> meanwhile)
    : size_(sizeof(Shared) + sizeof(Slot) * static_cast<std::size_t>(ranks)),
      rank_(rank),
      ranks_(ranks),
      meanwhile_(std::move(meanwhile)) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
    void* mapped = MAP_FAILED;
    if (file >= 0 && ftruncate(file, static_cast<off_t>(size_)) == 0)
        mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    const int error = errno;
    if (file >= 0) close(file);
    if (mapped == MAP_FAILED) throw std::runtime_error(path + ": " + std::strerror(error));
    shared_ = static_cast<Shared*>(mapped);
    slots_ = reinterpret_cast<Slot*>(static_cast<char*>(mapped) + sizeof(Shared));
}

Meeting::~Meeting() { munmap(shared_, size_); }

void Meeting::meet() { (void)agree_on_start(); }

double Meeting::agree_on_start() {
    const std::uint32_t meeting = shared_->meetings;
    if (shared_->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks_)) {
        shared_->arrived = 0;
        shared_->start = monotonic_now() + lead_s;
        shared_->meetings = meeting + 1;
        wake_all(shared_->meetings);
    } else {
        const timespec longest{0, poll_ns};
        while (shared_->meetings == meeting) {
            meanwhile_();
            wait_while(shared_->meetings, meeting, &longest);
        }
    }
    return shared_->start;
}

void Meeting::say_host(const std::string& name) {
    auto& host = slots_[rank_].host;
    name.copy(host, std::min(name.size(), sizeof(host) - 1));
}

void Meeting::say_outcome(double finished, bool right) {
    slots_[rank_].finished = finished;
    slots_[rank_].right = right ? 1 : 0;
}

std::string Meeting::host(int rank) const { return slots_[rank].host; }

double Meeting::last_finish() const {
    double last = 0;
    for (const Slot& slot : std::span(slots_, static_cast<std::size_t>(ranks_)))
        last = std::max(last, slot.finished);
    return last;
}

bool Meeting::all_right() const {
    const auto slots = std::span(slots_, static_cast<std::size_t>(ranks_));
    return std::all_of(slots.begin(), slots.end(), [](const Slot& s) { return s.right == 1; });
}

void Meeting::give(const Order& order) {
    shared_->order = order;
    ++shared_->orders;
    wake_all(shared_->orders);
}

Order Meeting::next_order() {
    while (shared_->orders == orders_taken_) wait_while(shared_->orders, orders_taken_, nullptr);
    ++orders_taken_;
    return shared_->order;
}

}  // namespace espalier::bench
