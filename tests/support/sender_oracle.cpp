#include "support/sender_oracle.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::test {
namespace {

using sender::Problem;

std::vector<std::size_t> possible_roots(const Problem& problem) {
    if (problem.root) return {*problem.root};
    std::vector<std::size_t> roots(problem.classes.size());
    std::iota(roots.begin(), roots.end(), std::size_t{0});
    return roots;
}

/// Each node's class but the root's, ascending.
std::vector<std::size_t> others(const Problem& problem, std::size_t root) {
    std::vector<std::size_t> classes;
    for (std::size_t c = 0; c < problem.classes.size(); ++c)
        classes.insert(classes.end(), problem.classes[c].count - (c == root ? 1 : 0), c);
    return classes;
}

/// A broadcast, one receipt after the other. Of each port that may send: its class, and when it
/// would be done.
class Spreading {
public:
    Spreading(const Problem& problem, std::size_t root) : problem_(problem) { join(root, 0); }

    /// The next one receives.
    double serve(std::size_t class_index) {
        const auto first = std::ranges::min_element(
            ports_, [](const Port& a, const Port& b) { return a.done < b.done; });
        const double at = first->done;
        first->done += problem_.classes[first->class_index].time;
        join(class_index, at);
        return at;
    }

private:
    struct Port {
        std::size_t class_index;
        double done;
    };
    void join(std::size_t class_index, double at) {
        for (std::size_t p = 0; p < problem_.ports; ++p)
            ports_.push_back({class_index, at + problem_.classes[class_index].time});
    }

    const Problem& problem_;
    std::vector<Port> ports_;
};

/// A reduction, one start after the other. At each moment a sender needs its whole node, and its
/// receiver one port of another; who sends has gone for good.
class Gathering {
public:
    explicit Gathering(const Problem& problem) : problem_(problem) {}

    double start(std::size_t class_index) {
        double at = now_;
        for (;;) {
            if (room(at)) break;
            double next = infinity;
            for (const double end : ends_)
                if (end > at) next = std::min(next, end);
            at = next;
        }
        now_ = at;
        ends_.push_back(at + problem_.classes[class_index].time);
        return at;
    }
    [[nodiscard]] double end() const {
        return ends_.empty() ? 0 : *std::ranges::max_element(ends_);
    }

private:
    /// Whether one more can start: those that have not started, without it, have a port to spare.
    [[nodiscard]] bool room(double at) const {
        const auto active = static_cast<std::size_t>(
            std::ranges::count_if(ends_, [&](double end) { return end > at; }));
        const std::size_t staying = problem_.nodes() - ends_.size() - 1;
        return active + 1 <= staying * problem_.ports;
    }

    const Problem& problem_;
    std::vector<double> ends_;
    double now_ = 0;
};

class OrderSearch {
public:
    explicit OrderSearch(const Problem& problem) : problem_(problem) {}

    double run() {
        for (const std::size_t root : possible_roots(problem_)) {
            left_.assign(problem_.classes.size(), 0);
            for (const std::size_t c : others(problem_, root)) ++left_[c];
            const std::size_t nodes = problem_.nodes() - 1;
            if (problem_.is_broadcast())
                spread(Spreading(problem_, root), nodes, 0);
            else
                gather(Gathering(problem_), nodes);
        }
        return best_;
    }

private:
    void spread(const Spreading& state, std::size_t waiting, double at) {
        if (waiting == 0) best_ = std::min(best_, at);
        for (std::size_t c = 0; c < left_.size() && waiting > 0; ++c) {
            if (left_[c] == 0) continue;
            Spreading next = state;
            const double then = next.serve(c);
            if (then >= best_) continue;
            --left_[c];
            spread(next, waiting - 1, then);
            ++left_[c];
        }
    }
    void gather(const Gathering& state, std::size_t waiting) {
        if (waiting == 0) best_ = std::min(best_, state.end());
        for (std::size_t c = 0; c < left_.size() && waiting > 0; ++c) {
            if (left_[c] == 0) continue;
            Gathering next = state;
            next.start(c);
            if (next.end() >= best_) continue;
            --left_[c];
            gather(next, waiting - 1);
            ++left_[c];
        }
    }

    const Problem& problem_;
    std::vector<std::size_t> left_;
    double best_ = infinity;
};

/// A node of a tree in the making.
struct Member {
    double time;
    double ready;               ///< holds all that it has been sent
    std::vector<double> ports;  ///< when each is free
    friend bool operator==(const Member&, const Member&) = default;
};

double& earliest(std::vector<double>& ports) { return *std::ranges::min_element(ports); }

class TreeSearch {
public:
    TreeSearch(const Problem& problem, const std::function<bool(const Link&)>& allowed)
        : problem_(problem), allowed_(allowed) {}

    double run() {
        for (const std::size_t root : possible_roots(problem_)) {
            std::vector<Member> waiting;
            for (const std::size_t c : others(problem_, root)) waiting.push_back(member(c));
            if (problem_.is_broadcast()) {
                spread({member(root)}, waiting, 0);
            } else {
                waiting.insert(waiting.begin(), member(root));
                gather(waiting, 0);
            }
        }
        return best_;
    }

private:
    [[nodiscard]] Member member(std::size_t class_index) const {
        return {problem_.classes[class_index].time, 0, std::vector<double>(problem_.ports, 0.0)};
    }

    /// Any holder sends to any node that waits; of like ones, the first.
    void spread(const std::vector<Member>& holders, const std::vector<Member>& waiting, double at) {
        if (waiting.empty()) best_ = std::min(best_, at);
        for (std::size_t s = 0; s < holders.size(); ++s) {
            if (std::find(holders.begin(), holders.begin() + static_cast<std::ptrdiff_t>(s),
                          holders[s]) != holders.begin() + static_cast<std::ptrdiff_t>(s))
                continue;
            for (std::size_t r = 0; r < waiting.size(); ++r) {
                if (r > 0 && waiting[r] == waiting[r - 1]) continue;
                if (allowed_ && !allowed_({holders[s].time, waiting[r].time, s == 0})) continue;
                auto then_holders = holders;
                auto then_waiting = waiting;
                double& port = earliest(then_holders[s].ports);
                port += holders[s].time;
                const double end = port;
                if (end >= best_) continue;
                Member receiver = waiting[r];
                receiver.ready = end;
                std::ranges::fill(receiver.ports, end);
                then_holders.push_back(receiver);
                then_waiting.erase(then_waiting.begin() + static_cast<std::ptrdiff_t>(r));
                spread(then_holders, then_waiting, std::max(at, end));
            }
        }
    }

    /// Any node but the root, which is the first, sends all that it holds to any other and is gone.
    void gather(const std::vector<Member>& alive, double at) {
        if (alive.size() == 1) best_ = std::min(best_, at);
        for (std::size_t s = 1; s < alive.size(); ++s) {
            if (s > 1 && alive[s] == alive[s - 1]) continue;
            for (std::size_t r = 0; r < alive.size(); ++r) {
                if (r == s) continue;
                if (allowed_ && !allowed_({alive[s].time, alive[r].time, false})) continue;
                auto then = alive;
                double& port = earliest(then[r].ports);
                const double end = std::max(port, alive[s].ready) + alive[s].time;
                if (end >= best_) continue;
                port = end;
                then[r].ready = std::max(then[r].ready, end);
                then.erase(then.begin() + static_cast<std::ptrdiff_t>(s));
                gather(then, std::max(at, end));
            }
        }
    }

    const Problem& problem_;
    const std::function<bool(const Link&)>& allowed_;
    double best_ = infinity;
};

}  // namespace

NodeTimes naive_times(const Problem& problem, const NodeOrder& order) {
    NodeTimes times;
    if (problem.is_broadcast()) {
        Spreading state(problem, order.root);
        for (const std::size_t c : order.classes) times.at.push_back(state.serve(c));
        times.makespan = times.at.empty() ? 0 : times.at.back();
    } else {
        Gathering state(problem);
        for (const std::size_t c : order.classes) times.at.push_back(state.start(c));
        times.makespan = state.end();
    }
    return times;
}

void for_each_order(const Problem& problem,
                    const std::function<void(const NodeOrder&, const NodeTimes&)>& visit) {
    for (const std::size_t root : possible_roots(problem)) {
        NodeOrder order{root, others(problem, root)};
        do visit(order, naive_times(problem, order));
        while (std::ranges::next_permutation(order.classes).found);
    }
}

double least_makespan_of_orders(const Problem& problem) { return OrderSearch(problem).run(); }

double least_makespan_of_trees(const Problem& problem,
                               const std::function<bool(const Link&)>& allowed) {
    return TreeSearch(problem, allowed).run();
}

namespace {

bool find_receivers(const std::vector<Window>& senders, std::size_t ports, std::size_t next,
                    std::vector<std::vector<Window>>& received) {
    if (next == senders.size()) return true;
    const Window& sender = senders[next];
    for (std::size_t node = 0; node < received.size(); ++node) {  // the last one is the root
        if (node == next) continue;
        if (node < senders.size() && senders[node].start < sender.end) continue;
        // Those before it in this list start no later: they hold ports when it starts, or never.
        const auto busy = std::ranges::count_if(
            received[node], [&](const Window& other) { return other.end > sender.start; });
        if (static_cast<std::size_t>(busy) >= ports) continue;
        received[node].push_back(sender);
        if (find_receivers(senders, ports, next + 1, received)) return true;
        received[node].pop_back();
    }
    return false;
}

}  // namespace

bool receivers_exist(const std::vector<Window>& senders, std::size_t ports) {
    auto sorted = senders;
    std::ranges::stable_sort(sorted, {}, &Window::start);
    std::vector<std::vector<Window>> received(sorted.size() + 1);
    return find_receivers(sorted, ports, 0, received);
}

}  // namespace espalier::test
