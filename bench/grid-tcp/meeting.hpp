#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>

/// Ranks of one machine meet in a file that they all map, so that nothing is sent but what is
/// timed.
namespace espalier::bench {

/// Now, by the clock that every namespace of a machine shares.
[[nodiscard]] double monotonic_now();
void sleep_until(double seconds);

/// One call that all ranks are asked for.
struct Order {
    char collective[32];
    std::int32_t bytes;
    std::int32_t root;
    std::int32_t warm_ups;
    std::int32_t repetitions;
    double budget_s;
    double computing_s;
    bool ends;
};

class Meeting {
public:
    /// Maps `path`, which is made where it is not there; throws std::runtime_error if it can't.
    /// `meanwhile` is called now and then while others are waited for.
    Meeting(const std::string& path, int rank, int ranks, std::function<void()> meanwhile);
    Meeting(const Meeting&) = delete;
    Meeting& operator=(const Meeting&) = delete;
    ~Meeting();

    /// Waits until all ranks are here.
    void meet();
    /// Meets the others as meet() does; the time that it returns is the same for all and lies
    /// shortly ahead.
    [[nodiscard]] double agree_on_start();

    /// States a fact about this rank, which all see once they have met.
    void say_host(const std::string& name);
    void say_outcome(double finished, bool right);
    [[nodiscard]] std::string host(int rank) const;
    [[nodiscard]] double last_finish() const;
    [[nodiscard]] bool all_right() const;

    /// Rank 0 gives an order, the others wait for it, asleep.
    void give(const Order& order);
    [[nodiscard]] Order next_order();

private:
    struct Slot {
        double finished;
        std::int32_t right;
        char host[64];
    };
    struct Shared {
        std::atomic<std::uint32_t> arrived;
        std::atomic<std::uint32_t> meetings;
        std::atomic<std::uint32_t> orders;
        double start;
        Order order;
    };

    Shared* shared_ = nullptr;
    Slot* slots_ = nullptr;
    std::size_t size_ = 0;
    int rank_;
    int ranks_;
    std::uint32_t orders_taken_ = 0;
    std::function<void()> meanwhile_;
};

}  // namespace espalier::bench
