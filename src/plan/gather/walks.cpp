#include "plan/gather/walks.hpp"

#include "core/infinity.hpp"
#include "simulate/node_classes.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace espalier::plan::gather {

namespace {
/// Transitions for one threshold: some 10 ms, and some MB of states.
constexpr std::size_t most_transitions = 1'000'000;
/// Where each of more classes is visited once there are more transitions than that.
constexpr std::size_t most_classes = std::bit_width(most_transitions);

/// Of two nodes of one class; 0 where there is but one.
double inner_step(const Problem& problem, const simulate::NodeClasses& classes, std::size_t c) {
    const auto& members = classes.members[c];
    return members.size() > 1 ? problem.step(members[0], members[1]) : 0;
}

/// The steps that there are, ascending.
std::vector<double> all_steps(const Problem& problem, const simulate::NodeClasses& classes) {
    const auto& members = classes.members;
    std::vector<double> steps;
    for (std::size_t a = 0; a < members.size(); ++a) {
        steps.push_back(inner_step(problem, classes, a));
        for (std::size_t b = 0; b < members.size(); ++b)
            if (a != b) steps.push_back(problem.step(members[a][0], members[b][0]));
    }
    std::ranges::sort(steps);
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    return steps;
}

/// Walks between classes with no step over a threshold. A class whose own nodes are within it is
/// one to stay in for as long as one likes; of another, each node is a visit.
class Walks {
public:
    Walks(const Problem& problem, const simulate::NodeClasses& classes, double threshold)
        : problem_(problem),
          classes_(classes),
          threshold_(threshold),
          visits_(classes.members.size()) {
        limit_visits();
        if (transitions() > most_transitions) {
            complete_ = false;
            return;
        }
        std::size_t states = 1;
        for (const std::size_t most : visits_) {
            strides_.push_back(states);
            states *= most + 1;
        }
        best_ = Matrix<double>(states, count(), infinity);
    }

    /// Whether as many visits are looked at as a walk can need.
    [[nodiscard]] bool is_complete() const { return complete_; }

    /// The shortest ring; empty where none was found.
    [[nodiscard]] Order shortest() {
        if (best_.rows() == 0) return {};
        fill();
        std::size_t end = 0;
        std::size_t last = 0;
        double least = infinity;
        for (std::size_t state = 0; state < best_.rows(); ++state) {
            if (!is_over(state)) continue;
            for (std::size_t c = 0; c < count(); ++c) {
                const double home = count() == 1 ? 0 : leg(c, 0);
                if (best_(state, c) + home >= least) continue;
                least = best_(state, c) + home;
                end = state;
                last = c;
            }
        }
        return least < infinity ? trace(end, last) : Order{};
    }

private:
    [[nodiscard]] std::size_t count() const { return visits_.size(); }
    [[nodiscard]] std::size_t size_of(std::size_t c) const { return classes_.members[c].size(); }
    [[nodiscard]] std::size_t member(std::size_t c, std::size_t m) const {
        return classes_.members[c][m];
    }
    [[nodiscard]] bool is_home(std::size_t c) const {
        return inner_step(problem_, classes_, c) <= threshold_;
    }
    [[nodiscard]] double inner_hop(std::size_t c) const {
        return size_of(c) > 1 ? problem_.hop(member(c, 0), member(c, 1)) : 0;
    }
    [[nodiscard]] std::size_t visited(std::size_t state, std::size_t c) const {
        return state / strides_[c] % (visits_[c] + 1);
    }

    [[nodiscard]] std::size_t transitions() const {
        std::size_t product = count() * count();
        for (std::size_t c = 0; c < count() && product <= most_transitions; ++c)
            product *= visits_[c] + 1;
        return product;
    }

    void limit_visits() {
        std::size_t needed = 0;
        for (std::size_t c = 0; c < count(); ++c) needed += is_home(c) ? 1 : size_of(c);
        // Any walk visits a class between two visits that no other visit could stand for.
        const std::size_t all = std::max<std::size_t>(needed, 2) - 1;
        std::size_t most = all;
        while (true) {
            for (std::size_t c = 0; c < count(); ++c)
                visits_[c] = is_home(c) ? std::min(size_of(c), most) : size_of(c);
            if (transitions() <= most_transitions || most == 1) break;
            --most;
        }
        complete_ = most == all;
    }

    /// From class to class, less the inner hop that a further visit saves.
    [[nodiscard]] double leg(std::size_t from, std::size_t to) const {
        const std::size_t a = member(from, 0);
        const std::size_t b = member(to, 0);
        if (from == to || problem_.step(a, b) > threshold_) return infinity;
        return problem_.hop(a, b) - inner_hop(to);
    }

    /// All walks begin in class 0.
    void fill() {
        for (std::size_t state = 0; state < best_.rows(); ++state)
            for (std::size_t c = 0; c < count(); ++c) best_(state, c) = infinity;
        best_(strides_[0], 0) = 0;
        for (std::size_t state = 0; state < best_.rows(); ++state)
            for (std::size_t from = 0; from < count(); ++from) {
                const double so_far = best_(state, from);
                if (so_far == infinity) continue;
                for (std::size_t to = 0; to < count(); ++to) {
                    if (visited(state, to) == visits_[to]) continue;
                    double& known = best_(state + strides_[to], to);
                    known = std::min(known, so_far + leg(from, to));
                }
            }
    }

    /// Nodes that are left follow one of their class.
    [[nodiscard]] bool is_over(std::size_t state) const {
        for (std::size_t c = 0; c < count(); ++c) {
            const std::size_t times = visited(state, c);
            if (times == 0 || (times < size_of(c) && !is_home(c))) return false;
        }
        return true;
    }

    [[nodiscard]] Order trace(std::size_t state, std::size_t last) const {
        std::vector<std::size_t> walk{last};
        while (state != strides_[0]) {
            const std::size_t before = state - strides_[last];
            std::size_t from = 0;
            while (best_(before, from) + leg(from, last) != best_(state, last)) ++from;
            walk.push_back(from);
            state = before;
            last = from;
        }
        std::reverse(walk.begin(), walk.end());
        return nodes_of(walk);
    }

    /// A class's first visit takes all nodes that its others don't need.
    [[nodiscard]] Order nodes_of(const std::vector<std::size_t>& walk) const {
        std::vector<std::size_t> later(count(), 0);
        for (const std::size_t c : walk) ++later[c];
        std::vector<std::size_t> taken(count(), 0);
        Order order;
        for (const std::size_t c : walk) {
            --later[c];
            const std::size_t until = taken[c] == 0 ? size_of(c) - later[c] : taken[c] + 1;
            while (taken[c] < until) order.push_back(member(c, taken[c]++));
        }
        assert(order.size() == problem_.nodes());
        return order;
    }

    const Problem& problem_;
    const simulate::NodeClasses& classes_;
    double threshold_;
    std::vector<std::size_t> visits_;  ///< the most that are looked at, of each class
    std::vector<std::size_t> strides_;
    bool complete_ = true;
    Matrix<double> best_;  ///< by how often each class was visited, and the last one
};

}  // namespace

std::optional<Walk> best_walk(const Problem& problem, Aim aim) {
    const auto classes = simulate::find_classes(
        std::vector<double>(problem.nodes(), 0), most_classes, [&](std::size_t u, std::size_t v) {
            return std::pair(problem.step(u, v), problem.hop(u, v));
        });
    if (!classes) return std::nullopt;
    if (aim == Aim::sum) {
        Order order = Walks(problem, *classes, infinity).shortest();
        if (order.empty()) return std::nullopt;
        return Walk{std::move(order), false};
    }

    const std::vector<double> steps = all_steps(problem, *classes);
    std::size_t low = 0;
    std::size_t high = steps.size();
    Walk walk;
    bool complete_below = true;
    while (low < high) {
        const std::size_t middle = (low + high) / 2;
        Walks walks(problem, *classes, steps[middle]);
        if (Order order = walks.shortest(); order.empty()) {
            low = middle + 1;
            complete_below = walks.is_complete();
        } else {
            high = middle;
            walk.order = std::move(order);
        }
    }
    if (walk.order.empty()) return std::nullopt;
    walk.is_least = low == 0 || complete_below;
    return walk;
}

}  // namespace espalier::plan::gather
