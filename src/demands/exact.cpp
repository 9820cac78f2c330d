#include "demands/exact.hpp"

#include "core/infinity.hpp"
#include "demands/demands_first.hpp"
#include "demands/objective.hpp"
#include "demands/windows.hpp"
#include "plan/exchange/list_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace espalier::demands {

namespace {

/// Relative: what better() takes for rounding, and a little more.
constexpr double rounding = 1e-9;
/// With more messages, branch and bound proves nothing, and each of its levels costs much.
constexpr std::size_t most_messages = 240;

/// Two messages of one port; the search first tries to send the first one first.
using Branch = std::pair<std::size_t, std::size_t>;

class ExactSearch {
public:
    ExactSearch(const Problem& problem, const Order& start, Meter& meter)
        : problem_(problem),
          meter_(meter),
          best_{.order = start, .optimal = true},
          ends_(ends_of(problem, start)),
          score_(score_of(problem, ends_)) {}

    Found run() && {
        explore(Windows(problem_));
        return std::move(best_);
    }

private:
    void explore(Windows windows) {
        while (true) {
            if (meter_.over()) {
                best_.optimal = false;
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
        if (!better(least, score_)) return false;
        demand_better(windows, least);
        return windows.propagate();
    }

    /// Demands of each message what a better score than the best known one needs; `least` bounds
    /// the score.
    void demand_better(Windows& windows, const Score& least) const {
        const auto end_by = [&](std::size_t m, double time) {
            windows.require_start_by(m, time - problem_.messages[m].duration());
        };
        for (std::size_t m = 0; m < windows.messages(); ++m) {
            if (problem_.is_critical(problem_.messages[m]))
                end_by(m, score_.critical * (1 + rounding));
        }
        if (least.critical < score_.critical * (1 - rounding)) return;
        for (std::size_t m = 0; m < windows.messages(); ++m) {
            const Due due = problem_.due(m);
            const bool late_anyway = ends_[m] > due.deadline * (1 + rounding);
            if (!late_anyway && least.missed + due.priority > score_.missed * (1 + rounding))
                end_by(m, due.deadline * (1 + rounding));
        }
        if (least.missed < score_.missed * (1 - rounding) ||
            least.tardiness < score_.tardiness * (1 - rounding))
            return;
        for (std::size_t m = 0; m < windows.messages(); ++m)
            end_by(m, score_.makespan * (1 - rounding));
    }

    const std::vector<double>& ends_at_best(const Windows& windows) {
        for (std::size_t m = 0; m < ends_.size(); ++m)
            ends_[m] = windows.earliest(m) + problem_.messages[m].duration();
        return ends_;
    }

    /// Chooses among the undecided pairs the one with the least room for either order, the more so
    /// if it has as little for the other one (Smith and Cheng's rule); nullopt if all are decided.
    [[nodiscard]] static std::optional<Branch> choose(const Windows& windows) {
        std::optional<Branch> chosen;
        double least = infinity;
        for (std::size_t port = 0; port < windows.ports(); ++port) {
            const auto& users = windows.users(port);
            for (std::size_t x = 0; x < users.size(); ++x)
                for (std::size_t y = x + 1; y < users.size(); ++y) {
                    const std::size_t a = users[x];
                    const std::size_t b = users[y];
                    if (!windows.undecided(a, b)) continue;
                    const double one = windows.room(a, b, port);
                    const double other = windows.room(b, a, port);
                    const double criterion =
                        std::sqrt(std::max(one, 0.0)) * std::sqrt(std::max(other, 0.0));
                    if (criterion >= least) continue;
                    least = criterion;
                    chosen = one >= other ? Branch{a, b} : Branch{b, a};
                }
        }
        return chosen;
    }

    /// Takes over the schedule of a state in which all is decided: the earliest starts.
    void take(const Windows& windows) {
        const Score score = score_of(problem_, ends_at_best(windows));
        if (!better(score, score_)) return;
        best_.order.clear();
        for (const std::size_t m : listed(windows)) best_.order.push_back(direct(problem_, m));
        score_ = score;
    }

    /// The messages so that whoever goes first through some port is listed first: who comes before
    /// another has fewer before itself.
    [[nodiscard]] static std::vector<std::size_t> listed(const Windows& windows) {
        std::vector<std::size_t> order(windows.messages());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::vector<std::ptrdiff_t> before;
        for (const std::size_t b : order)
            before.push_back(std::ranges::count_if(
                order, [&](std::size_t a) { return windows.goes_first(a, b); }));
        std::ranges::stable_sort(order, {}, [&](std::size_t m) { return before[m]; });
        return order;
    }

    const Problem& problem_;
    Meter& meter_;
    Found best_;  ///< optimal until something is left out
    std::vector<double> ends_;
    Score score_;  ///< of the best
};

}  // namespace

bool can_search_exactly(const Problem& problem) {
    return problem.ports == 1 && only_queues(problem);
}

Found search_exactly(const Problem& problem, const Order& start, Meter& meter) {
    return ExactSearch(problem, start, meter).run();
}

Found optimal(const Problem& problem, const Limits& limits) {
    Meter meter(limits);
    if (!can_search_exactly(problem) || problem.messages.size() > most_messages)
        return problem.has_demands() ? demands_first(problem, limits)
                                     : as_found(problem, exchange::list_search(problem, meter));
    const Order start = problem.has_demands()
                            ? demands_first(problem, meter.share(0.25)).order
                            : direct(problem, exchange::search_lists(problem, meter));
    return search_exactly(problem, start, meter);
}

}  // namespace espalier::demands
