#pragma once

#include "plan/grid/ports.hpp"
#include "plan/grid/problem.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace espalier::plan::grid {

/// When a receiver holds the message if a sender that is ready at RT_i sends to it next:
/// RT_i + g + L (steffenel-2006, section 5.3).
class CompletionTime {
public:
    explicit CompletionTime(const Problem& problem) : problem_(&problem) {}

    [[nodiscard]] double arrival(double ready, std::size_t from, std::size_t to) const {
        return ready + problem_->delivery(from, to);
    }
    [[nodiscard]] double ready_after(double ready, std::size_t from, std::size_t to) const {
        return ready + problem_->gap(from, to);
    }

private:
    const Problem* problem_;
};

/// The weight of an edge alone, whenever its sender is ready (section 5.2).
class EdgeWeight {
public:
    explicit EdgeWeight(const Matrix<double>& weight) : weight_(&weight) {}

    [[nodiscard]] double arrival(double, std::size_t from, std::size_t to) const {
        return (*weight_)(from, to);
    }
    [[nodiscard]] double ready_after(double ready, std::size_t, std::size_t) const { return ready; }

private:
    const Matrix<double>* weight_;
};

/// A broadcast as it grows: the clusters that hold the message (the papers' set A), those that wait
/// (B), and for each of B its best sender, the one of least `Cost::arrival`; of equals the sender
/// of least index.
///
/// Ready times only grow, so a receiver's arrival is a lower bound until it is settled; that saves
/// looking at all senders of receivers that are not about to be chosen.
template <typename Cost>
class Frontier {
public:
    Frontier(Cost cost, const Problem& problem)
        : cost_(cost),
          ports_(problem.size(), problem.ports),
          arrival_(problem.size(), std::numeric_limits<double>::infinity()),
          sender_(problem.size(), problem.root) {
        for (std::size_t j = 0; j < problem.size(); ++j)
            if (j != problem.root) waiting_.push_back(j);
        order_.reserve(waiting_.size());
        join(problem.root);
    }

    /// In increasing order.
    [[nodiscard]] std::span<const std::size_t> waiting() const { return waiting_; }
    /// Exact where settled(receiver), else not more than the true value.
    [[nodiscard]] double arrival(std::size_t receiver) const { return arrival_[receiver]; }
    [[nodiscard]] bool settled(std::size_t receiver) const {
        return arrival_from(sender_[receiver], receiver) == arrival_[receiver];
    }
    void settle(std::size_t receiver) {
        if (settled(receiver)) return;
        arrival_[receiver] = std::numeric_limits<double>::infinity();
        for (const std::size_t sender : holding_) offer(sender, receiver);
    }
    void settle_all() {
        for (const std::size_t receiver : waiting_) settle(receiver);
    }
    /// The best sender of a settled receiver sends to it.
    void serve(std::size_t receiver) {
        assert(settled(receiver));
        const std::size_t sender = sender_[receiver];
        order_.push_back({.from = sender, .to = receiver});
        ports_.join(receiver, arrival_[receiver]);
        ports_.send(sender, cost_.ready_after(ports_.ready(sender), sender, receiver));
        waiting_.erase(std::lower_bound(waiting_.begin(), waiting_.end(), receiver));
        join(receiver);
    }
    [[nodiscard]] const Order& order() const { return order_; }

private:
    [[nodiscard]] double arrival_from(std::size_t sender, std::size_t receiver) const {
        return cost_.arrival(ports_.ready(sender), sender, receiver);
    }
    void offer(std::size_t sender, std::size_t receiver) {
        const double arrival = arrival_from(sender, receiver);
        if (arrival > arrival_[receiver]) return;
        if (arrival == arrival_[receiver] && sender > sender_[receiver]) return;
        arrival_[receiver] = arrival;
        sender_[receiver] = sender;
    }
    void join(std::size_t sender) {
        holding_.push_back(sender);
        for (const std::size_t receiver : waiting_) offer(sender, receiver);
    }

    Cost cost_;
    std::vector<std::size_t> holding_;
    std::vector<std::size_t> waiting_;
    SendPorts ports_;
    std::vector<double> arrival_;
    std::vector<std::size_t> sender_;
    Order order_;
};

/// The one greedy loop. A rule says whom to serve: `rule.next(frontier)` settles what it needs to
/// know and returns a settled receiver; `rule.moved(receiver, waiting)` tells it who has left the
/// waiting ones. Expected O(n^2) with the rules below; O(n^3) where most receivers share one best
/// sender all the time and the rule settles them all.
template <typename Cost, typename Rule>
[[nodiscard]] Order grow(Frontier<Cost> frontier, Rule rule) {
    while (!frontier.waiting().empty()) {
        const std::size_t receiver = rule.next(frontier);
        frontier.serve(receiver);
        rule.moved(receiver, frontier.waiting());
    }
    return frontier.order();
}

/// The receiver of least arrival + F_j; of equals the one of least index.
template <typename LookAhead>
class LeastFirst {
public:
    explicit LeastFirst(LookAhead look_ahead) : look_ahead_(std::move(look_ahead)) {}

    template <typename Cost>
    [[nodiscard]] std::size_t next(Frontier<Cost>& frontier) const {
        std::size_t best = frontier.waiting().front();
        double least = std::numeric_limits<double>::infinity();
        for (const std::size_t j : frontier.waiting()) {
            const double value = look_ahead_(j);
            if (frontier.arrival(j) + value >= least) continue;
            frontier.settle(j);
            if (frontier.arrival(j) + value >= least) continue;
            least = frontier.arrival(j) + value;
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
