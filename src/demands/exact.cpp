#include "demands/exact.hpp"

#include "demands/windows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace espalier::demands {

namespace {

/// Relative: what better() takes for rounding, and a little more.
constexpr double rounding = 1e-9;

/// Two messages of one port, and which of them a search tries first to send first.
struct Branch {
    std::size_t first = 0;
    std::size_t second = 0;
};

class ExactSearch {
public:
    ExactSearch(const Problem& problem, const Order& start, Meter& meter)
        : problem_(problem), meter_(meter) {
        best_.order = start;
        ends_ = start_times(problem, start);
        for (std::size_t m = 0; m < ends_.size(); ++m) ends_[m] += problem.messages[m].duration();
        best_.score = score_of(problem, ends_);
    }

    Exact run() && {
        complete_ = true;
        explore(Windows(problem_));
        best_.proven = complete_;
        return std::move(best_);
    }

private:
    void explore(Windows windows) {
        while (true) {
            if (meter_.over()) {
                complete_ = false;
                return;
            }
            if (!deduce(windows)) return;
            const auto branch = choose(windows);
            if (!branch) {
                take(windows);
                return;
            }
            Windows promising = windows;
            promising.decide(branch->first, branch->second);
            explore(std::move(promising));
            windows.decide(branch->second, branch->first);
        }
    }

    /// Whether something better than the best is left.
    bool deduce(Windows& windows) {
        meter_.spend(windows.messages() * windows.messages());
        if (!windows.propagate()) return false;
        const Score least = score_of(problem_, ends_at_best(windows));
        if (!better(least, best_.score)) return false;
        demand_better(windows, least);
        return windows.propagate();
    }

    /// What being better asks of each message, where `least` bounds the score.
    void demand_better(Windows& windows, const Score& least) const {
        const auto end_by = [&](std::size_t m, double time) {
            windows.require_start_by(m, time - problem_.messages[m].duration());
        };
        const Score& best = best_.score;
        for (std::size_t m = 0; m < windows.messages(); ++m) {
            if (problem_.is_critical(problem_.messages[m]))
                end_by(m, best.critical * (1 + rounding));
        }
        if (least.critical < best.critical * (1 - rounding)) return;
        for (std::size_t m = 0; m < windows.messages(); ++m) {
            const Due due = problem_.due(m);
            const bool late_anyway = ends_[m] > due.deadline * (1 + rounding);
            if (!late_anyway && least.missed + due.priority > best.missed * (1 + rounding))
                end_by(m, due.deadline * (1 + rounding));
        }
        if (least.missed < best.missed * (1 - rounding) ||
            least.tardiness < best.tardiness * (1 - rounding))
            return;
        for (std::size_t m = 0; m < windows.messages(); ++m)
            end_by(m, best.makespan * (1 - rounding));
    }

    const std::vector<double>& ends_at_best(const Windows& windows) {
        for (std::size_t m = 0; m < ends_.size(); ++m)
            ends_[m] = windows.earliest(m) + problem_.messages[m].duration();
        return ends_;
    }

    /// Of the pairs that are not decided the one with the least room for either order, the more
    /// so if it has as little for the other one (Smith and Cheng's rule); nothing if all are
    /// decided.
    [[nodiscard]] static std::optional<Branch> choose(const Windows& windows) {
        std::optional<Branch> chosen;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t port = 0; port < windows.ports(); ++port) {
            const auto& users = windows.users(port);
            for (std::size_t x = 0; x < users.size(); ++x)
                for (std::size_t y = x + 1; y < users.size(); ++y) {
                    const std::size_t a = users[x];
                    const std::size_t b = users[y];
                    if (!windows.undecided(a, b)) continue;
                    const double one = windows.room(a, b, port);
                    const double other = windows.room(b, a, port);
                    const double criterion = tightness(one, other);
                    if (chosen && criterion >= least) continue;
                    least = criterion;
                    // Without limits it is who could start first that goes first.
                    const bool keep = std::isfinite(one) || std::isfinite(other)
                                          ? one >= other
                                          : windows.earliest(a) <= windows.earliest(b);
                    chosen = keep ? Branch{a, b} : Branch{b, a};
                }
        }
        return chosen;
    }

    static double tightness(double one, double other) {
        const double less = std::max(std::min(one, other), 0.0);
        const double more = std::max(one, other);
        if (!std::isfinite(less)) return std::numeric_limits<double>::max();
        if (!std::isfinite(more)) return less;
        return less == 0 ? 0 : less / std::sqrt(less / more);
    }

    /// All is decided: the earliest starts are a schedule.
    void take(const Windows& windows) {
        const Score score = score_of(problem_, ends_at_best(windows));
        if (!better(score, best_.score)) return;
        best_.order.clear();
        for (const std::size_t m : listed(windows)) best_.order.push_back(direct(problem_, m));
        best_.score = score;
    }

    /// The messages so that whoever goes first through some port is listed first.
    [[nodiscard]] static std::vector<std::size_t> listed(const Windows& windows) {
        const std::size_t count = windows.messages();
        std::vector<std::size_t> before(count, 0);
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = 0; b < count; ++b)
                if (windows.goes_first(a, b)) ++before[b];
        // Who comes before another has fewer before itself.
        std::vector<std::size_t> order(count);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t m) { return before[m]; });
        return order;
    }

    const Problem& problem_;
    Meter& meter_;
    Exact best_;
    std::vector<double> ends_;
    bool complete_ = true;
};

}  // namespace

bool can_search_exactly(const Problem& problem) {
    return problem.ports == 1 && !problem.shares() &&
           problem.fabric->ports().duplex == schedule::Ports::Duplex::full &&
           problem.reception.mode == schedule::Reception::Mode::serial;
}

Exact search_exactly(const Problem& problem, const Order& start, Meter& meter) {
    return ExactSearch(problem, start, meter).run();
}

std::vector<double> start_times(const Problem& problem, const Order& order) {
    std::vector<double> sender_free(problem.nodes(), 0);
    std::vector<double> receiver_free(problem.nodes(), 0);
    std::vector<double> starts(problem.messages.size(), 0);
    for (const Hop& hop : order) {
        const Message& message = problem.messages[hop.message];
        const double start =
            std::max(sender_free[message.from], receiver_free[message.to] - message.latency);
        starts[hop.message] = start;
        sender_free[message.from] = start + message.gap;
        receiver_free[message.to] = start + message.gap + message.latency;
    }
    return starts;
}

}  // namespace espalier::demands
