#include "simulate/check_windows.hpp"

#include "core/infinity.hpp"

#include "simulate/check_reception.hpp"
#include "simulate/use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace espalier::simulate {

namespace {

/// What rounding in files may do to a time or to a number of round trips.
constexpr double almost = 1 - 1e-6;

/// A transfer on its connection.
struct Carried {
    std::size_t transfer = 0;
    double start = 0;
    double sent = 0;
    double bytes = 0;
    double gap = 0;     ///< the least that it takes
    double enough = 0;  ///< a window that does not hold it back
    double full = 0;    ///< one that fills its path and the queue
};

class ConnectionChecker {
public:
    ConnectionChecker(const Window& window, std::vector<Carried> carried)
        : window_(window), carried_(std::move(carried)) {
        std::ranges::stable_sort(carried_, {}, &Carried::start);
        for (const Carried& one : carried_) full_ = std::max(full_, one.full);
    }

    /// The first transfer that is too fast.
    [[nodiscard]] const Carried* find(double makespan) const {
        double size = at_the_beginning(makespan);
        double busy_until = carried_.front().start;
        double busy_since = busy_until;
        double size_then = size;
        double bytes = 0;
        double enough = full_;
        for (const Carried& one : carried_) {
            if (const double halvings = restarts(one.start - busy_until); halvings >= 1) {
                size = std::max(std::min(size, first()), size / std::exp2(halvings));
                busy_since = one.start;
                size_then = size;
                bytes = 0;
                enough = full_;
            }
            bytes += one.bytes;
            enough = std::min(enough, one.enough);
            const double trips = round_trips(one.bytes, size, one.enough);
            const double in_last = one.bytes - size * (std::exp2(trips) - 1);
            const double alone = trips * trip() + one.gap * (in_last / one.bytes);
            if (clearly_less(one.sent, one.start + alone * almost)) return &one;
            // What overlaps may have left in another order.
            const bool in_order = one.start >= busy_until;
            if (in_order &&
                clearly_less(one.sent,
                             busy_since + trip() * almost * round_trips(bytes, size_then, enough)))
                return &one;
            size = std::min(size + one.bytes, std::max(size, 2 * full_));
            busy_until = std::max(busy_until, one.sent);
        }
        return nullptr;
    }

private:
    [[nodiscard]] double trip() const { return window_.round_trip.value; }
    [[nodiscard]] double first() const { return static_cast<double>(window_.first.value); }
    [[nodiscard]] double restarts(double idle) const {
        return std::floor(std::max(0.0, idle * almost / window_.restart.value));
    }

    /// A window w grows by at most B bytes in a call, and halves k times after it: w is at most
    /// (w + B) / 2^k, and no more than so many times less than what is ever needed.
    [[nodiscard]] double at_the_beginning(double makespan) const {
        double bytes = 0;
        double last = 0;
        for (const Carried& one : carried_) {
            bytes += one.bytes;
            last = std::max(last, one.sent);
        }
        const double times = std::exp2(restarts(makespan - (last - carried_.front().start)));
        const double most = times > 1 ? std::min(full_ / times, bytes / (times - 1)) : full_;
        return std::max(most, first());
    }

    /// The round trips until the last of so many bytes may leave: each lets through twice as much
    /// as the one before, until that is enough.
    [[nodiscard]] static double round_trips(double bytes, double size, double enough) {
        const double doublings = std::ceil(std::log2(std::max(1.0, enough * almost / size)));
        const double filled = std::ceil(std::log2(bytes * almost / size + 1)) - 1;
        return std::max(0.0, std::min(doublings, filled));
    }

    Window window_;
    std::vector<Carried> carried_;
    double full_ = 0;
};

}  // namespace

std::optional<std::string> find_narrow_window(const schedule::Schedule& schedule,
                                              const Fabric& fabric,
                                              std::span<const MessageCost> costs,
                                              const schedule::Timeline& stated) {
    if (fabric.least_restart() == Seconds(infinity) ||
        schedule.reception.mode != schedule::Reception::Mode::serial)
        return std::nullopt;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<Carried>> connections;
    for (std::size_t t = 0; t < costs.size(); ++t) {
        const auto& transfer = schedule.transfers[t];
        const Bytes bytes = schedule.bytes_of(transfer);
        const Window window = fabric.window(transfer.from, transfer.to);
        if (window.first == Bytes(0) || bytes == Bytes(0) || costs[t].gap == Seconds(0)) continue;
        const auto& times = stated.transfers[t];
        // The segments of a pipeline may leave side by side.
        const bool one_piece = schedule.segments_of(transfer) == 1;
        const auto ports = static_cast<double>(one_piece ? 1 : schedule.ports.count);
        connections[{transfer.from, transfer.to}].push_back(
            {t, times.start.value, (times.end - costs[t].latency).value,
             static_cast<double>(bytes.value), costs[t].gap.value / ports,
             (bytes / costs[t].gap).value * window.round_trip.value,
             (bytes / costs[t].gap).value * (window.round_trip + window.queue).value});
    }
    for (auto& [nodes, carried] : connections) {
        const Window window = fabric.window(nodes.first, nodes.second);
        const ConnectionChecker checker(window, std::move(carried));
        if (const Carried* fault = checker.find(stated.makespan.value))
            return fmt::format(
                "{} takes {} s, and the window of its connection allows no less "
                "than a round trip of {} s for each time that it is full",
                describe_transfer(schedule, fault->transfer), fault->sent - fault->start,
                window.round_trip.value);
    }
    return std::nullopt;
}

}  // namespace espalier::simulate
