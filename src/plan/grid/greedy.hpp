#pragma once

#include "core/infinity.hpp"
#include "plan/grid/ports.hpp"
#include "plan/grid/problem.hpp"
#include "plan/grow.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace espalier::plan::grid {

/// When a receiver holds the message if a sender that is ready at RT_i sends to it next:
/// RT_i + g + L (steffenel-2006, section 5.3).
inline double completion_time(const Problem& problem, const SendPorts& ports, std::size_t from,
                              std::size_t to) {
    return ports.ready(from) + problem.delivery(from, to);
}

/// The one greedy loop between clusters: those that hold the message (the papers' set A), those
/// that wait (B), and for each of B its best sender, the one of least `cost(problem, ports, from,
/// to)`; of equals the sender of least index. A rule says whom to serve: `rule.next(growth)`
/// settles what it needs to know and returns a settled receiver; `rule.moved(receiver, waiting)`
/// tells it who has left the waiting ones.
template <typename Cost, typename Rule>
[[nodiscard]] Order grow(const Problem& problem, Cost cost, Rule rule) {
    SendPorts ports(problem.size(), problem.ports);
    Growth growth(
        problem.root, all_but(problem.root, problem.size()),
        [&](std::size_t from, std::size_t to) {
            return std::pair(cost(problem, ports, from, to), from);
        },
        std::pair(infinity, std::size_t{0}));
    Order order;
    order.reserve(growth.waiting().size());
    while (!growth.waiting().empty()) {
        const std::size_t to = rule.next(growth);
        order.push_back({.from = growth.best_sender(to), .to = to});
        ports.serve(problem, order.back());
        growth.join(to);
        rule.moved(to, growth.waiting());
    }
    return order;
}

/// The receiver of least cost + F_j; of equals the one of least index. What a look-ahead says of
/// j is a lower bound until it is settled.
template <typename LookAhead>
class LeastFirst {
public:
    explicit LeastFirst(LookAhead look_ahead) : look_ahead_(std::move(look_ahead)) {}

    template <typename Key>
    [[nodiscard]] std::size_t next(Growth<Key>& growth) {
        std::size_t best = growth.waiting().front();
        double least = infinity;
        const auto at_least = [&](std::size_t j) {
            return growth.at_least(j).first + look_ahead_(j);
        };
        for (const std::size_t j : growth.waiting()) {
            if (at_least(j) >= least) continue;
            look_ahead_.settle(j, growth.waiting());
            if (at_least(j) >= least) continue;
            growth.settle(j);
            if (at_least(j) >= least) continue;
            least = at_least(j);
            best = j;
        }
        return best;
    }
    void moved(std::size_t gone, std::span<const std::size_t> waiting) {
        look_ahead_.moved(gone, waiting);
    }

private:
    LookAhead look_ahead_;
};

}  // namespace espalier::plan::grid
