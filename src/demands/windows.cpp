#include "demands/windows.hpp"

#include <algorithm>
#include <limits>

namespace espalier::demands {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

Windows::Windows(const Problem& problem)
    : nodes_(problem.nodes()),
      users_(2 * nodes_),
      earliest_(problem.messages.size(), 0),
      latest_(problem.messages.size(), infinity),
      before_(problem.messages.size() * problem.messages.size(), 0),
      dirty_(2 * nodes_, 1) {
    double total = 0;
    for (std::size_t m = 0; m < problem.messages.size(); ++m) {
        const Message& message = problem.messages[m];
        gap_.push_back(message.gap);
        latency_.push_back(message.latency);
        from_.push_back(message.from);
        to_.push_back(message.to);
        users_[message.from].push_back(m);
        users_[nodes_ + message.to].push_back(m);
        total += message.duration();
    }
    tolerance_ = 1e-13 * total;
    // Without idle time that all nodes share, everything is over by then.
    for (std::size_t m = 0; m < messages(); ++m) latest_[m] = total - gap_[m] - latency_[m];
}

double Windows::room(std::size_t first, std::size_t second, std::size_t port) const {
    return latest_[second] + shift(second, port) -
           (earliest_[first] + shift(first, port) + gap_[first]);
}

void Windows::mark(std::size_t message) {
    dirty_[from_[message]] = 1;
    dirty_[nodes_ + to_[message]] = 1;
}

void Windows::start_not_before(std::size_t message, double time) {
    if (time <= earliest_[message] + tolerance_ / 16) return;
    earliest_[message] = time;
    possible_ = possible_ && time <= latest_[message] + tolerance_;
    mark(message);
}

void Windows::require_start_by(std::size_t message, double time) {
    if (time >= latest_[message] - tolerance_ / 16) return;
    latest_[message] = time;
    possible_ = possible_ && earliest_[message] <= time + tolerance_;
    mark(message);
}

void Windows::decide(std::size_t first, std::size_t second) {
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

bool Windows::propagate() {
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

/// Two messages of a port: who can't go second goes first, and the other one waits for it.
bool Windows::compare_pairs(std::size_t port) {
    const auto& users = users_[port];
    for (std::size_t x = 0; x < users.size(); ++x)
        for (std::size_t y = x + 1; y < users.size(); ++y) {
            std::size_t a = users[x];
            std::size_t b = users[y];
            if (undecided(a, b)) {
                const bool a_can = room(a, b, port) >= -tolerance_;
                const bool b_can = room(b, a, port) >= -tolerance_;
                if (!a_can && !b_can) return false;
                if (a_can && b_can) continue;
                decide(a_can ? a : b, a_can ? b : a);
                if (!possible_) return false;
            }
            if (goes_first(b, a)) std::swap(a, b);
            const double distance = shift(a, port) + gap_[a] - shift(b, port);
            start_not_before(b, earliest_[a] + distance);
            require_start_by(a, latest_[b] - distance);
            if (!possible_) return false;
        }
    return true;
}

/// Edge finding by intervals of tasks (Carlier and Pinson's rules, in their plain cubic form):
/// where a set of messages and one more don't fit between the earliest start of all and the latest
/// end of the set, that one goes last; and mirrored.
bool Windows::find_edges(std::size_t port) {
    const auto& users = users_[port];
    const auto begin = [&](std::size_t m) { return earliest_[m] + shift(m, port); };
    const auto end = [&](std::size_t m) { return latest_[m] + shift(m, port) + gap_[m]; };
    for (const std::size_t opening : users)
        for (const std::size_t closing : users) {
            const double from = begin(opening);
            const double until = end(closing);
            if (until == infinity || begin(closing) < from || end(opening) > until) continue;
            double work = 0;
            for (const std::size_t m : users)
                if (begin(m) >= from && end(m) <= until) work += gap_[m];
            if (from + work > until + tolerance_) return false;
            for (const std::size_t m : users) {
                if (begin(m) >= from && end(m) <= until) continue;
                if (std::min(from, begin(m)) + work + gap_[m] > until + tolerance_)
                    start_not_before(m, from + work - shift(m, port));
                if (std::max(until, end(m)) - work - gap_[m] < from - tolerance_)
                    require_start_by(m, until - work - gap_[m] - shift(m, port));
                if (!possible_) return false;
            }
        }
    return true;
}

}  // namespace espalier::demands
