#include "demands/open_shop.hpp"

#include "plan/exchange/open_shop.hpp"
#include "simulate/inbox.hpp"
#include "simulate/interleaved_receivers.hpp"
#include "simulate/slots.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace espalier::demands {

namespace {

using schedule::Reception;

/// By which a sender chooses: the message with the least, of equals the first.
struct Key {
    double first = 0;
    double second = 0;
    double third = 0;

    [[nodiscard]] bool is_less_than(const Key& other) const {
        if (first != other.first) return first < other.first;
        if (second != other.second) return second < other.second;
        return third < other.third;
    }
};

struct Tried {
    exchange::Order order;
    double end = 0;
};

/// What senders still have to send, and receivers to receive.
class Stock {
public:
    explicit Stock(const Problem& problem)
        : problem_(problem), of_(problem.nodes()), awaited_(problem.nodes(), 0) {
        for (std::size_t m = 0; m < problem.messages.size(); ++m) put(m);
    }
    /// Senders have no choice: they keep to an order.
    Stock(const Problem& problem, const exchange::Order& order)
        : problem_(problem), ordered_(true), of_(problem.nodes()), awaited_(problem.nodes(), 0) {
        for (auto message = order.rbegin(); message != order.rend(); ++message) put(*message);
    }

    [[nodiscard]] bool any(std::size_t sender) const { return !of_[sender].empty(); }
    /// Seconds of messages that have not been sent to it.
    [[nodiscard]] double awaited(std::size_t receiver) const { return awaited_[receiver]; }

    /// The one with the least key. The sender has one.
    template <typename KeyOf>
    std::size_t take(std::size_t sender, KeyOf key_of) {
        auto& own = of_[sender];
        if (ordered_) return take(own, own.end() - 1);
        auto best = own.begin();
        Key least = key_of(problem_.messages[*best]);
        for (auto candidate = best + 1; candidate != own.end(); ++candidate) {
            const Key key = key_of(problem_.messages[*candidate]);
            if (!key.is_less_than(least)) continue;
            least = key;
            best = candidate;
        }
        return take(own, best);
    }

private:
    using Own = std::vector<std::size_t>;

    std::size_t take(Own& own, Own::iterator chosen) {
        const std::size_t message = *chosen;
        own.erase(chosen);
        awaited_[problem_.messages[message].to] -= problem_.messages[message].gap;
        return message;
    }
    void put(std::size_t m) {
        of_[problem_.messages[m].from].push_back(m);
        awaited_[problem_.messages[m].to] += problem_.messages[m].gap;
    }

    const Problem& problem_;
    bool ordered_ = false;  ///< the last of a sender's is its next
    std::vector<Own> of_;   ///< by sender
    std::vector<double> awaited_;
};

/// Senders by the time at which they are free, once per port; of equals the first.
class Turns {
public:
    explicit Turns(const Problem& problem) {
        for (std::size_t node = 0; node < problem.nodes(); ++node)
            for (std::size_t port = 0; port < problem.ports; ++port) turns_.emplace(0, node);
    }
    [[nodiscard]] double next_time() const {
        return turns_.empty() ? simulate::never : turns_.top().first;
    }
    std::pair<double, std::size_t> next() {
        const auto turn = turns_.top();
        turns_.pop();
        return turn;
    }
    void add(double time, std::size_t node) { turns_.emplace(time, node); }

private:
    using Turn = std::pair<double, std::size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

/// `key_of` is given the message, the place that its receiver has for it, and the stock.
template <typename KeyOf>
Tried try_buffered(const Problem& problem, Stock stock, KeyOf key_of) {
    std::vector<simulate::Inbox> receivers(
        problem.nodes(), simulate::Inbox(problem.ports, problem.reception.buffer, 0));
    Turns turns(problem);
    Tried tried;
    while (turns.next_time() != simulate::never) {
        const auto [now, sender] = turns.next();
        if (!stock.any(sender)) continue;
        const auto place_of = [&, now = now](const Message& message) {
            return receivers[message.to].find_place(now, message.latency, message.bytes);
        };
        const std::size_t chosen = stock.take(sender, [&](const Message& message) {
            return key_of(message, place_of(message), stock);
        });
        const Message& message = problem.messages[chosen];
        const auto place = place_of(message);
        receivers[message.to].let_in(place, message.gap, message.bytes);
        turns.add(place.start + message.gap, sender);
        tried.order.push_back(chosen);
        tried.end = std::max(tried.end, place.arrival + message.gap);
    }
    return tried;
}

/// `key_of` is given the message, how many messages its receiver has, how much work is left of
/// them, and the stock.
template <typename KeyOf>
class InterleavedShop {
public:
    InterleavedShop(const Problem& problem, Stock stock, KeyOf key_of)
        : problem_(problem),
          stock_(std::move(stock)),
          key_of_(key_of),
          turns_(problem),
          receivers_(problem.nodes(), problem.ports, problem.reception.overhead) {}

    Tried run() {
        while (true) {
            const double end = receivers_.next_end();
            if (end == simulate::never && turns_.next_time() == simulate::never)
                return std::move(tried_);
            if (end <= turns_.next_time())
                finish(end);
            else
                send();
        }
    }

private:
    void send() {
        const auto [now, sender] = turns_.next();
        if (!stock_.any(sender)) return;
        const std::size_t chosen = stock_.take(sender, [&, now = now](const Message& message) {
            const auto& receiver = receivers_[message.to];
            return key_of_(message, receiver.size(), receiver.work_left(now), stock_);
        });
        const Message& message = problem_.messages[chosen];
        receivers_.add(message.to, now, chosen, message.gap);
        tried_.order.push_back(chosen);
    }

    void finish(double now) {
        const Message& message = problem_.messages[receivers_.finish()];
        turns_.add(now, message.from);
        tried_.end = std::max(tried_.end, now + message.latency);
    }

    const Problem& problem_;
    Stock stock_;
    KeyOf key_of_;
    Turns turns_;
    simulate::InterleavedReceivers receivers_;
    Tried tried_;
};

template <typename KeyOf>
Tried try_interleaved(const Problem& problem, Stock stock, KeyOf key_of) {
    return InterleavedShop<KeyOf>(problem, std::move(stock), key_of).run();
}

std::vector<Tried> all_buffered(const Problem& problem, const exchange::Order& serial) {
    using Place = simulate::Inbox::Place;
    const Stock stock(problem);
    std::vector<Tried> tried;
    // The receiver with the most to come may be the last to be done.
    tried.push_back(try_buffered(problem, stock,
                                 [](const Message& message, const Place& place, const Stock& left) {
                                     return Key{place.start, -left.awaited(message.to), 0};
                                 }));
    // Or none is kept idle, and the longest message goes first.
    tried.push_back(
        try_buffered(problem, stock, [](const Message& message, const Place& place, const Stock&) {
            return Key{place.start, place.arrival, -message.gap};
        }));
    tried.push_back(try_buffered(problem, Stock(problem, serial),
                                 [](const Message&, const Place&, const Stock&) {
                                     return Key{0, 0, 0};
                                 }));
    return tried;
}

std::vector<Tried> all_interleaved(const Problem& problem, const exchange::Order& serial) {
    const Stock stock(problem);
    const std::size_t ports = problem.ports;
    std::vector<Tried> tried;
    tried.push_back(try_interleaved(
        problem, stock, [](const Message&, std::size_t beside, double work, const Stock&) {
            return Key{static_cast<double>(beside), work, 0};
        }));
    // None is slowed down if that can be; of those receivers, the one with the most to come.
    tried.push_back(try_interleaved(
        problem, stock,
        [ports](const Message& message, std::size_t beside, double work, const Stock& left) {
            return beside >= ports ? Key{1, work, 0} : Key{0, -left.awaited(message.to), 0};
        }));
    // Or that with the longest message.
    tried.push_back(try_interleaved(
        problem, stock,
        [ports](const Message& message, std::size_t beside, double work, const Stock&) {
            return beside >= ports ? Key{1, work, 0} : Key{0, -message.gap, 0};
        }));
    tried.push_back(try_interleaved(problem, Stock(problem, serial),
                                    [](const Message&, std::size_t, double, const Stock&) {
                                        return Key{0, 0, 0};
                                    }));
    return tried;
}

}  // namespace

Found open_shop(const Problem& problem, const Limits& limits) {
    exchange::Found serial = exchange::open_shop(problem, limits);
    if (problem.reception.mode == Reception::Mode::serial)
        return as_found(problem, std::move(serial));
    const auto tried = problem.reception.mode == Reception::Mode::buffered
                           ? all_buffered(problem, serial.order)
                           : all_interleaved(problem, serial.order);
    return {.order = direct(problem, std::ranges::min_element(tried, {}, &Tried::end)->order)};
}

}  // namespace espalier::demands
