#include "demands/open_shop.hpp"

#include "plan/exchange/open_shop.hpp"
#include "simulate/inbox.hpp"
#include "simulate/interleaved_receivers.hpp"
#include "simulate/slots.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace espalier::demands {

namespace {

using schedule::Reception;

/// The key by which a sender chooses: it takes the message of the least key, of equals the first.
using Key = std::array<double, 3>;

/// A message as its sender sees it when it is free.
struct View {
    std::size_t message = 0;
    double gap = 0;
    double awaited = 0;  ///< seconds of messages for the receiver that nobody has sent yet
    /// When the message could be sent and when received, if receives are buffered; the number of
    /// messages that the receiver has and the work left of them, if they are interleaved.
    double first = 0;
    double second = 0;
};
using Rule = std::function<Key(const View&)>;

/// The senders by the time at which they are free, once per port, of equals the first; and what
/// they still have to send.
class Senders {
public:
    explicit Senders(const Problem& problem)
        : problem_(problem), left_(problem.nodes()), awaited_(problem.nodes(), 0) {
        for (std::size_t m = 0; m < problem.messages.size(); ++m) {
            left_[problem.messages[m].from].push_back(m);
            awaited_[problem.messages[m].to] += problem.messages[m].gap;
        }
        for (std::size_t node = 0; node < problem.nodes(); ++node)
            for (std::size_t port = 0; port < problem.ports; ++port) add(0, node);
    }

    [[nodiscard]] double next_time() const { return turns_.empty() ? never : turns_.top().first; }
    void add(double time, std::size_t node) { turns_.emplace(time, node); }

    /// The next one's message by the rule, if it has one; `look` gives View::first and second.
    template <typename Look>
    std::optional<std::size_t> next(const Rule& rule, Look look) {
        auto& own = left_[turns_.top().second];
        turns_.pop();
        if (own.empty()) return std::nullopt;
        auto best = own.begin();
        Key least{};
        for (auto candidate = own.begin(); candidate != own.end(); ++candidate) {
            const Message& message = problem_.messages[*candidate];
            const auto [first, second] = look(message);
            const Key key = rule({*candidate, message.gap, awaited_[message.to], first, second});
            if (candidate != own.begin() && !(key < least)) continue;
            least = key;
            best = candidate;
        }
        const std::size_t chosen = *best;
        own.erase(best);
        awaited_[problem_.messages[chosen].to] -= problem_.messages[chosen].gap;
        return chosen;
    }

private:
    const Problem& problem_;
    std::vector<std::vector<std::size_t>> left_;  ///< by sender
    std::vector<double> awaited_;                 ///< by receiver
    using Turn = std::pair<double, std::size_t>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

struct Tried {
    exchange::Order order;
    double end = 0;
};

Tried try_buffered(const Problem& problem, const Rule& rule) {
    std::vector<simulate::Inbox> receivers(
        problem.nodes(), simulate::Inbox(problem.ports, problem.reception.buffer, 0));
    Senders senders(problem);
    Tried tried;
    while (senders.next_time() != never) {
        const double now = senders.next_time();
        const auto place_of = [&](const Message& message) {
            return receivers[message.to].find_place(now, message.latency, message.bytes);
        };
        const auto chosen = senders.next(rule, [&](const Message& message) {
            const auto place = place_of(message);
            return std::pair(place.start, place.arrival);
        });
        if (!chosen) continue;
        const Message& message = problem.messages[*chosen];
        const auto place = place_of(message);
        receivers[message.to].let_in(place, message.gap, message.bytes);
        senders.add(place.start + message.gap, message.from);
        tried.order.push_back(*chosen);
        tried.end = std::max(tried.end, place.arrival + message.gap);
    }
    return tried;
}

Tried try_interleaved(const Problem& problem, const Rule& rule) {
    simulate::InterleavedReceivers receivers(problem.nodes(), problem.ports,
                                             problem.reception.overhead);
    Senders senders(problem);
    Tried tried;
    while (true) {
        const double now = senders.next_time();
        const double end = receivers.next_end();
        if (end == never && now == never) return tried;
        if (end <= now) {
            const Message& message = problem.messages[receivers.finish()];
            senders.add(end, message.from);
            tried.end = std::max(tried.end, end + message.latency);
            continue;
        }
        const auto chosen = senders.next(rule, [&](const Message& message) {
            const auto& receiver = receivers[message.to];
            return std::pair(static_cast<double>(receiver.size()), receiver.work_left(now));
        });
        if (!chosen) continue;
        const Message& message = problem.messages[*chosen];
        receivers.add(message.to, now, *chosen, message.gap);
        tried.order.push_back(*chosen);
    }
}

std::vector<Rule> rules_of(const Problem& problem) {
    if (problem.reception.mode == Reception::Mode::buffered)
        return {// The receiver with the most to come may be the last to be done.
                [](const View& view) {
                    return Key{view.first, -view.awaited, 0};
                },
                // Or none is kept idle, and the longest message goes first.
                [](const View& view) {
                    return Key{view.first, view.second, -view.gap};
                }};
    // None is slowed down if that can be.
    const auto else_least = [most = static_cast<double>(problem.ports)](double key,
                                                                        const View& view) {
        return view.first < most ? Key{0, key, 0} : Key{1, view.second, 0};
    };
    return {[](const View& view) {
                return Key{view.first, view.second, 0};
            },
            // The receiver with the most to come, or that with the longest message.
            [=](const View& view) { return else_least(-view.awaited, view); },
            [=](const View& view) { return else_least(-view.gap, view); }};
}

}  // namespace

Found open_shop(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    exchange::Found serial = exchange::open_shop(problem, meter);
    if (problem.reception.mode == Reception::Mode::serial)
        return as_found(problem, std::move(serial));
    std::vector<Rule> rules = rules_of(problem);
    // Or all keep to the order of the base model.
    std::vector<double> place(problem.messages.size());
    for (std::size_t i = 0; i < serial.order.size(); ++i)
        place[serial.order[i]] = static_cast<double>(i);
    rules.emplace_back([&](const View& view) { return Key{place[view.message], 0, 0}; });
    const auto attempt =
        problem.reception.mode == Reception::Mode::buffered ? try_buffered : try_interleaved;
    Tried best{{}, never};
    for (const Rule& rule : rules) {
        Tried tried = attempt(problem, rule);
        if (tried.end < best.end) best = std::move(tried);
    }
    return {.order = direct(problem, best.order)};
}

}  // namespace espalier::demands
