#include "support/grid_oracle.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace espalier::testing {
namespace {

using plan::grid::Order;
using plan::grid::Problem;

/// When each port of a cluster that holds the message is free.
using Slots = std::vector<double>;

Slots slots_from(const Problem& problem, double time) { return Slots(problem.ports, time); }

void take_earliest(Slots& slots, double busy) { *std::ranges::min_element(slots) += busy; }

struct Round {
    const Problem& problem;
    std::vector<std::size_t> a;  ///< sorted
    std::vector<std::size_t> b;  ///< sorted
    std::vector<Slots> slots;

    [[nodiscard]] double ready(std::size_t i) const { return std::ranges::min(slots[i]); }

    [[nodiscard]] std::vector<std::size_t> b_without(std::size_t j) const {
        std::vector<std::size_t> others = b;
        std::erase(others, j);
        return others;
    }
    /// g + L from j to each other one in B, with its T where asked.
    [[nodiscard]] std::vector<double> onward(std::size_t j, bool with_inner) const {
        std::vector<double> times;
        for (const std::size_t k : b_without(j))
            times.push_back(problem.gap(j, k) + problem.latency(j, k) +
                            (with_inner ? problem.inner[k] : 0));
        return times;
    }
};

double look_ahead(std::string_view name, const Round& round, std::size_t j) {
    const auto plain = round.onward(j, false);
    const auto with_inner = round.onward(j, true);
    if (plain.empty()) return 0;
    if (name == "ecef-la") return std::ranges::min(plain);
    if (name == "ecef-lat-min") return std::ranges::min(with_inner);
    if (name == "ecef-lat-max") return std::ranges::max(with_inner);
    if (name == "ecef-la-average-b")
        return std::accumulate(plain.begin(), plain.end(), 0.0) / static_cast<double>(plain.size());
    if (name == "ecef-la-average-ab") {
        auto holders = round.a;
        holders.push_back(j);
        double sum = 0;
        double pairs = 0;
        for (const std::size_t i : holders)
            for (const std::size_t k : round.b_without(j)) {
                sum += round.problem.gap(i, k) + round.problem.latency(i, k);
                ++pairs;
            }
        return sum / pairs;
    }
    return 0;
}

/// What the choice of i -> j is weighed by, before one takes the least over i.
double weight(std::string_view name, const Round& round, std::size_t i, std::size_t j) {
    if (name == "fef") return round.problem.latency(i, j);
    const double done = round.ready(i) + (round.problem.gap(i, j) + round.problem.latency(i, j));
    if (name == "bottom-up") return done + round.problem.inner[j];
    return done + look_ahead(name, round, j);
}

struct Served {
    std::size_t sender = 0;
    std::size_t receiver = 0;
    double value = 0;
};

/// The sender in A of least weight for j.
Served best_sender(std::string_view name, const Round& round, std::size_t j) {
    Served best{.receiver = j, .value = infinity};
    for (const std::size_t i : round.a)
        if (const double value = weight(name, round, i, j); value < best.value) {
            best.value = value;
            best.sender = i;
        }
    return best;
}

/// The first hop of the best path, direct or through one other of B, to the one that ends last.
Served slowest_through_relay(const Round& round) {
    Served chosen{.value = -infinity};
    for (const std::size_t k : round.b) {
        Served path = best_sender("ecef", round, k);
        for (const std::size_t j : round.b_without(k)) {
            Served relayed = best_sender("ecef", round, j);
            relayed.value += round.problem.gap(j, k) + round.problem.latency(j, k);
            if (relayed.value < path.value) path = relayed;
        }
        path.value += round.problem.inner[k];
        if (path.value > chosen.value) chosen = path;
    }
    return chosen;
}

Served choose(std::string_view name, const Round& round) {
    if (name == "bottom-up-la") return slowest_through_relay(round);
    const bool greatest = name == "bottom-up";
    Served chosen{.value = greatest ? -infinity : infinity};
    for (const std::size_t j : round.b) {
        const Served best = best_sender(name, round, j);
        if (greatest ? best.value > chosen.value : best.value < chosen.value) chosen = best;
    }
    return chosen;
}

void erase_one(std::vector<std::size_t>& from, std::size_t value) {
    from.erase(std::ranges::find(from, value));
}

/// When `node` holds the message, by following it back to the root.
double receipt(const Problem& problem, const Order& order, std::size_t node) {
    if (node == problem.root) return 0;
    const auto into = std::ranges::find(order, node, &plan::grid::Send::to);
    if (into == order.end()) throw std::logic_error("a cluster that nobody sends to");
    Slots slots = slots_from(problem, receipt(problem, order, into->from));
    for (auto send = order.begin(); send != into; ++send)
        if (send->from == into->from) take_earliest(slots, problem.gap(send->from, send->to));
    return std::ranges::min(slots) +
           (problem.gap(into->from, node) + problem.latency(into->from, node));
}

/// What one segment costs `node`, sending it to its children and inside, or one above it if that is
/// more.
double period(const Problem& problem, const Order& order, std::size_t node) {
    double load = problem.load.empty() ? 0 : problem.load[node];
    for (const auto& [from, to] : order)
        if (from == node) load += problem.gap(from, to);
    const auto into = std::ranges::find(order, node, &plan::grid::Send::to);
    return into == order.end() ? load : std::max(load, period(problem, order, into->from));
}

/// When the clusters that the order reaches hold the last segment.
double pipeline_end(const Problem& problem, const Order& order) {
    std::vector<std::size_t> members{problem.root};
    for (const auto& send : order) members.push_back(send.to);
    double end = 0;
    for (const std::size_t node : members)
        end = std::max(end,
                       receipt(problem, order, node) + problem.inner[node] +
                           static_cast<double>(problem.segments - 1) *
                               (period(problem, order, node) / static_cast<double>(problem.ports)));
    return end;
}

/// Calls `found` with the makespan of every order.
void try_all(const Problem& problem, std::vector<Slots>& slots, std::vector<std::size_t>& a,
             std::vector<std::size_t>& b, const std::function<void(double)>& found) {
    if (b.empty()) {
        double last = 0;
        for (const std::size_t i : a)
            last = std::max(last, std::ranges::max(slots[i]) + problem.inner[i]);
        return found(last);
    }
    for (const std::size_t i : std::vector(a))
        for (const std::size_t j : std::vector(b)) {
            const Slots before = slots[i];
            slots[j] = slots_from(
                problem, std::ranges::min(before) + problem.gap(i, j) + problem.latency(i, j));
            take_earliest(slots[i], problem.gap(i, j));
            a.push_back(j);
            erase_one(b, j);
            try_all(problem, slots, a, b, found);
            b.push_back(j);
            erase_one(a, j);
            slots[i] = before;
        }
}

/// Sends in order of their starts; bounded by the shortest path to each waiting cluster.
class BranchAndBound {
public:
    explicit BranchAndBound(const Problem& problem)
        : problem_(problem), n_(problem.size()), path_(n_, n_, infinity), slots_(n_) {
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < n_; ++j)
                path_(i, j) = i == j ? 0 : problem.gap(i, j) + problem.latency(i, j);
        for (std::size_t k = 0; k < n_; ++k)
            for (std::size_t i = 0; i < n_; ++i)
                for (std::size_t j = 0; j < n_; ++j)
                    path_(i, j) = std::min(path_(i, j), path_(i, k) + path_(k, j));
        slots_[problem.root] = slots_from(problem, 0);
    }

    double solve() {
        branch(0, n_ - 1);
        return best_;
    }

private:
    [[nodiscard]] bool holds(std::size_t i) const { return !slots_[i].empty(); }
    [[nodiscard]] double ready(std::size_t i) const { return std::ranges::min(slots_[i]); }

    /// No sender starts before `now` any more.
    [[nodiscard]] double bound(double now) const {
        double last = 0;
        for (std::size_t j = 0; j < n_; ++j) {
            double idle = infinity;
            if (holds(j))
                idle = std::ranges::max(slots_[j]);
            else
                for (std::size_t i = 0; i < n_; ++i)
                    if (holds(i) && ready(i) >= now) idle = std::min(idle, ready(i) + path_(i, j));
            last = std::max(last, idle + problem_.inner[j]);
        }
        return last;
    }

    void branch(double now, std::size_t waiting) {
        if (waiting == 0) {
            best_ = std::min(best_, bound(now));
            return;
        }
        struct Choice {
            std::size_t from, to;
            double end;
        };
        std::vector<Choice> choices;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!holds(i) || ready(i) < now) continue;
            for (std::size_t j = 0; j < n_; ++j)
                if (!holds(j))
                    choices.push_back(
                        {i, j, ready(i) + problem_.gap(i, j) + problem_.latency(i, j)});
        }
        std::ranges::sort(choices, {}, &Choice::end);
        for (const auto& [from, to, end] : choices) {
            const Slots before = slots_[from];
            const double start = ready(from);
            slots_[to] = slots_from(problem_, end);
            take_earliest(slots_[from], problem_.gap(from, to));
            if (bound(start) < best_) branch(start, waiting - 1);
            slots_[from] = before;
            slots_[to].clear();
        }
    }

    const Problem& problem_;
    std::size_t n_;
    Matrix<double> path_;
    std::vector<Slots> slots_;  ///< empty where it does not hold the message
    double best_ = infinity;
};

}  // namespace

Order naive_order(std::string_view name, const Problem& problem) {
    Round round{
        problem, {problem.root}, {}, std::vector<Slots>(problem.size(), slots_from(problem, 0))};
    for (std::size_t j = 0; j < problem.size(); ++j)
        if (j != problem.root) round.b.push_back(j);
    Order order;
    while (!round.b.empty()) {
        const auto [i, j, value] = choose(name, round);
        round.slots[j] =
            slots_from(problem, round.ready(i) + (problem.gap(i, j) + problem.latency(i, j)));
        take_earliest(round.slots[i], problem.gap(i, j));
        round.a.insert(std::ranges::lower_bound(round.a, j), j);
        erase_one(round.b, j);
        order.push_back({.from = i, .to = j});
    }
    return order;
}

Order naive_pipeline(const Problem& problem) {
    Order order;
    std::vector<std::size_t> members{problem.root};
    while (members.size() < problem.size()) {
        Order best;
        std::pair least(infinity, infinity);
        for (std::size_t to = 0; to < problem.size(); ++to) {
            if (std::ranges::find(members, to) != members.end()) continue;
            for (const std::size_t from : members) {
                Order longer = order;
                longer.push_back({.from = from, .to = to});
                const std::pair key(pipeline_end(problem, longer), receipt(problem, longer, to));
                if (key >= least) continue;
                least = key;
                best = longer;
            }
        }
        order = best;
        members.push_back(order.back().to);
    }
    return order;
}

double naive_makespan(const Problem& problem, const Order& order) {
    double last = 0;
    for (std::size_t node = 0; node < problem.size(); ++node) {
        Slots slots = slots_from(problem, receipt(problem, order, node));
        for (const auto& send : order)
            if (send.from == node) take_earliest(slots, problem.gap(node, send.to));
        last = std::max(last, std::ranges::max(slots) + problem.inner[node]);
    }
    return last;
}

double least_makespan_of_all(const Problem& problem) {
    std::vector<Slots> slots(problem.size(), slots_from(problem, 0));
    std::vector<std::size_t> a{problem.root};
    std::vector<std::size_t> b;
    for (std::size_t j = 0; j < problem.size(); ++j)
        if (j != problem.root) b.push_back(j);
    double least = infinity;
    try_all(problem, slots, a, b, [&](double makespan) { least = std::min(least, makespan); });
    return least;
}

double least_makespan(const Problem& problem) { return BranchAndBound(problem).solve(); }

}  // namespace espalier::testing
