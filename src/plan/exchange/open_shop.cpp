#include "plan/exchange/open_shop.hpp"

#include "core/infinity.hpp"
#include "core/matrix.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>

namespace espalier::plan::exchange {

namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

/// The receivers in the order in which they are free again, the first of equals first.
class Receivers {
public:
    explicit Receivers(const Problem& problem)
        : ports_(problem.receiving_ports()), order_(problem.nodes()) {
        for (const simulate::Slots& ports : ports_) free_.push_back(ports.earliest());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::ranges::stable_sort(order_, {}, [this](std::size_t node) { return free_[node]; });
    }

    [[nodiscard]] const std::vector<std::size_t>& in_order() const { return order_; }
    /// When one of its ports is free.
    [[nodiscard]] double free(std::size_t node) const { return free_[node]; }
    /// Takes the port that is free first.
    void occupy_until(std::size_t node, double time) {
        const auto before = [this](std::size_t a, std::size_t b) {
            return std::pair(free_[a], a) < std::pair(free_[b], b);
        };
        const auto old_place = std::lower_bound(order_.begin(), order_.end(), node, before);
        ports_[node].occupy_until(time);
        free_[node] = ports_[node].earliest();
        // It can only move back.
        const auto new_place = std::lower_bound(old_place + 1, order_.end(), node, before);
        std::rotate(old_place, old_place + 1, new_place);
    }

private:
    std::vector<simulate::Slots> ports_;
    std::vector<double> free_;  ///< the first of them
    std::vector<std::size_t> order_;
};

/// What senders still have to send.
class Waiting {
public:
    explicit Waiting(const Problem& problem)
        : problem_(problem),
          messages_(problem.nodes(), problem.nodes(), nothing),
          left_(problem.nodes(), 0),
          most_latency_(problem.nodes(), 0) {
        for (std::size_t m = 0; m < problem.messages.size(); ++m) {
            const Message& message = problem.messages[m];
            messages_(message.from, message.to) = m;
            ++left_[message.from];
            most_latency_[message.from] = std::max(most_latency_[message.from], message.latency);
        }
    }

    [[nodiscard]] bool any(std::size_t sender) const { return left_[sender] > 0; }

    /// Takes out the one whose receiver, as this sender sees it, is free first: a message may be on
    /// its way while the receiver still has to do with the one before. The sender has one.
    std::size_t take(std::size_t sender, const Receivers& receivers) {
        std::pair best(infinity, nothing);  // free, receiver
        for (const std::size_t receiver : receivers.in_order()) {
            const double free = receivers.free(receiver);
            if (free - most_latency_[sender] > best.first) break;
            const std::size_t message = messages_(sender, receiver);
            if (message != nothing)
                best = std::min(best, {free - problem_.messages[message].latency, receiver});
        }
        --left_[sender];
        return std::exchange(messages_(sender, best.second), nothing);
    }

private:
    const Problem& problem_;
    Matrix<std::size_t> messages_;
    std::vector<std::size_t> left_;
    std::vector<double> most_latency_;
};

}  // namespace

Found open_shop(const Problem& problem, Meter&) {
    Receivers receivers(problem);
    Waiting waiting(problem);
    // Of senders that are free at the same time the first; each stands here once per port.
    using Turn = std::pair<double, std::size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    const auto senders = problem.sending_ports();
    for (std::size_t node = 0; node < problem.nodes(); ++node)
        for (const double free : senders[node].all()) turns.emplace(free, node);
    Found found;
    found.order.reserve(problem.messages.size());
    while (!turns.empty()) {
        const auto [now, sender] = turns.top();
        turns.pop();
        if (!waiting.any(sender)) continue;
        const std::size_t chosen = waiting.take(sender, receivers);
        const Message& message = problem.messages[chosen];
        const double start = std::max(now, receivers.free(message.to) - message.latency);
        receivers.occupy_until(message.to, start + message.duration());
        turns.emplace(start + message.gap, sender);
        found.order.push_back(chosen);
    }
    return found;
}

}  // namespace espalier::plan::exchange
