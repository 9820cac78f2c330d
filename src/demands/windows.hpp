#pragma once

#include "demands/problem.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace espalier::demands {

/// What is known about the starts of all messages of a problem, and about which message goes first
/// through a port that two share: the state of an exact search. Ports serve one message at a time.
/// A search copies the state to return to it.
class Windows {
public:
    /// Begins with every schedule possible. O(M^2) memory for M messages. The problem must outlive
    /// it.
    explicit Windows(const Problem& problem)
        : problem_(&problem),
          users_(2 * problem.nodes()),
          earliest_(problem.messages.size(), 0),
          before_(problem.messages.size() * problem.messages.size(), 0),
          dirty_(users_.size(), 1) {
        double total = 0;
        for (std::size_t m = 0; m < messages(); ++m) {
            users_[message(m).from].push_back(m);
            users_[receiving_port(m)].push_back(m);
            total += message(m).duration();
        }
        tolerance_ = 1e-13 * total;
        // Without idle time that all nodes share, everything is over by then.
        for (std::size_t m = 0; m < messages(); ++m)
            latest_.push_back(total - message(m).duration());
    }

    [[nodiscard]] std::size_t messages() const { return earliest_.size(); }
    /// The earliest start of the message in all schedules that are left, in seconds.
    [[nodiscard]] double earliest(std::size_t m) const { return earliest_[m]; }

    /// Whether it is decided that the one is listed before the other, so that it goes first through
    /// a port that they share. What follows from several decisions is decided too: a list has no
    /// circles.
    [[nodiscard]] bool goes_first(std::size_t first, std::size_t second) const {
        return before_[first * messages() + second] != 0;
    }
    [[nodiscard]] bool undecided(std::size_t a, std::size_t b) const {
        return !goes_first(a, b) && !goes_first(b, a);
    }
    /// How much later than its earliest start `first` could start and still go before `second`.
    [[nodiscard]] double room(std::size_t first, std::size_t second, std::size_t port) const {
        return latest_[second] + shift(second, port) -
               (earliest_[first] + shift(first, port) + message(first).gap);
    }

    [[nodiscard]] std::size_t ports() const { return users_.size(); }
    /// The messages that go through a port: nodes' sending ends, then their receiving ends.
    [[nodiscard]] const std::vector<std::size_t>& users(std::size_t port) const {
        return users_[port];
    }

    /// Rules out what contradicts this; what it means for others is found by propagate().
    void decide(std::size_t first, std::size_t second) {
        if (goes_first(second, first)) possible_ = false;
        if (!possible_ || goes_first(first, second)) return;
        const std::size_t count = messages();
        for (std::size_t before = 0; before < count; ++before) {
            if (before != first && !goes_first(before, first)) continue;
            for (std::size_t after = 0; after < count; ++after) {
                if (after != second && !goes_first(second, after)) continue;
                if (goes_first(before, after)) continue;
                before_[before * count + after] = 1;
                mark(before);
                mark(after);
            }
        }
    }
    void require_start_by(std::size_t m, double time) {
        if (time >= latest_[m] - tolerance_ / 16) return;
        latest_[m] = time;
        possible_ = possible_ && earliest_[m] <= time + tolerance_;
        mark(m);
    }
    /// Deduces what it can; whether anything is still possible.
    [[nodiscard]] bool propagate() {
        for (bool again = true; again && possible_;) {
            again = false;
            for (std::size_t port = 0; port < ports() && possible_; ++port) {
                if (dirty_[port] == 0) continue;
                dirty_[port] = 0;
                again = true;
                if (!compare_pairs(port) || !find_edges(port)) possible_ = false;
            }
        }
        return possible_;
    }

private:
    [[nodiscard]] const Message& message(std::size_t m) const { return problem_->messages[m]; }
    [[nodiscard]] std::size_t receiving_port(std::size_t m) const {
        return problem_->nodes() + message(m).to;
    }
    /// The delay, relative to its start, after which a message occupies a port.
    [[nodiscard]] double shift(std::size_t m, std::size_t port) const {
        return port < problem_->nodes() ? 0 : message(m).latency;
    }
    void start_not_before(std::size_t m, double time) {
        if (time <= earliest_[m] + tolerance_ / 16) return;
        earliest_[m] = time;
        possible_ = possible_ && time <= latest_[m] + tolerance_;
        mark(m);
    }
    void mark(std::size_t m) { dirty_[message(m).from] = dirty_[receiving_port(m)] = 1; }

    /// Decides pairs of messages of a port: one that can't go second goes first, and the other one
    /// waits for it. Returns whether anything changed.
    [[nodiscard]] bool compare_pairs(std::size_t port) {
        const auto& users = users_[port];
        for (std::size_t x = 0; x < users.size(); ++x)
            for (std::size_t y = x + 1; y < users.size(); ++y) {
                std::size_t a = users[x];
                std::size_t b = users[y];
                if (undecided(a, b)) {
                    const bool a_can = room(a, b, port) >= -tolerance_;
                    const bool b_can = room(b, a, port) >= -tolerance_;
                    if (a_can && b_can) continue;
                    if (!a_can && !b_can) return false;
                    decide(a_can ? a : b, a_can ? b : a);
                }
                if (goes_first(b, a)) std::swap(a, b);
                const double distance = shift(a, port) + message(a).gap - shift(b, port);
                start_not_before(b, earliest_[a] + distance);
                require_start_by(a, latest_[b] - distance);
                if (!possible_) return false;
            }
        return true;
    }

    /// Edge finding by intervals of tasks (Carlier and Pinson's rules, in their plain cubic form):
    /// where a set of messages and one more don't fit between the earliest start of all and the
    /// latest end of the set, that one goes last; and mirrored.
    [[nodiscard]] bool find_edges(std::size_t port) {
        const auto& users = users_[port];
        const auto begin = [&](std::size_t m) { return earliest_[m] + shift(m, port); };
        const auto end = [&](std::size_t m) {
            return latest_[m] + shift(m, port) + message(m).gap;
        };
        for (const std::size_t opening : users)
            for (const std::size_t closing : users) {
                const double from = begin(opening);
                const double until = end(closing);
                if (begin(closing) < from || end(opening) > until) continue;
                double work = 0;
                for (const std::size_t m : users)
                    if (begin(m) >= from && end(m) <= until) work += message(m).gap;
                if (from + work > until + tolerance_) return false;
                for (const std::size_t m : users) {
                    if (begin(m) >= from && end(m) <= until) continue;
                    if (std::min(from, begin(m)) + work + message(m).gap > until + tolerance_)
                        start_not_before(m, from + work - shift(m, port));
                    if (std::max(until, end(m)) - work - message(m).gap < from - tolerance_)
                        require_start_by(m, until - work - message(m).gap - shift(m, port));
                    if (!possible_) return false;
                }
            }
        return true;
    }

    const Problem* problem_;
    std::vector<std::vector<std::size_t>> users_;  ///< by port
    double tolerance_ = 0;                         ///< of rounding, in seconds
    std::vector<double> earliest_;
    std::vector<double> latest_;
    std::vector<std::uint8_t> before_;  ///< by first * messages + second
    std::vector<std::uint8_t> dirty_;   ///< by port: something has changed
    bool possible_ = true;
};

}  // namespace espalier::demands
