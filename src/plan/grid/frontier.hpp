#pragma once

#include "core/infinity.hpp"
#include "plan/grid/ports.hpp"
#include "plan/grid/problem.hpp"
#include "plan/grow.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace espalier::plan::grid {

/// When a receiver holds the message if a sender that is ready at RT_i sends to it next:
/// RT_i + g + L (steffenel-2006, section 5.3).
class CompletionTime {
public:
    explicit CompletionTime(const Problem& problem) : problem_(&problem) {}

    /// g + L from one sender, as a function of the receiver.
    [[nodiscard]] auto from(std::size_t sender) const {
        return [gap = problem_->gap.row(sender), latency = problem_->latency.row(sender)](
                   std::size_t to) { return gap[to] + latency[to]; };
    }
    [[nodiscard]] double busy(std::size_t from, std::size_t to) const {
        return problem_->gap(from, to);
    }
    [[nodiscard]] static double ready(double time) { return time; }

private:
    const Problem* problem_;
};

/// The weight of an edge alone, whenever its sender is ready (section 5.2).
class EdgeWeight {
public:
    explicit EdgeWeight(const Matrix<double>& weight) : weight_(&weight) {}

    [[nodiscard]] auto from(std::size_t sender) const {
        return [weights = weight_->row(sender)](std::size_t to) { return weights[to]; };
    }
    [[nodiscard]] static double busy(std::size_t, std::size_t) { return 0; }
    [[nodiscard]] static double ready(double) { return 0; }

private:
    const Matrix<double>* weight_;
};

/// A broadcast as it grows: the clusters that hold the message (the papers' set A), those that wait
/// (B), and for each of B its best sender, the one of least ready time + cost; of equals the sender
/// of least index.
///
/// Ready times only grow, so what is known of a receiver's arrival is a lower bound until it is
/// settled. Each receiver remembers the few senders that were best for it, and what any other one
/// can offer at best: most often, one of the few is still better than that. Where none is, it
/// surveys all senders; where that happens to many, all are surveyed together, row by row, as the
/// costs lie in memory.
template <typename Cost>
class Frontier {
public:
    Frontier(Cost cost, const Problem& problem)
        : cost_(cost),
          ports_(problem.size(), problem.ports),
          waiting_(all_but(problem.root, problem.size())),
          best_(problem.size()),
          few_(problem.size()),
          others_(problem.size(), never) {
        order_.reserve(waiting_.size());
        join(problem.root);
    }

    /// In increasing order.
    [[nodiscard]] std::span<const std::size_t> waiting() const { return waiting_; }
    /// Exact where settled(receiver), else not more than the true value.
    [[nodiscard]] double arrival(std::size_t receiver) const { return best_[receiver].arrival; }
    /// Exact where settled(receiver), else not less than the true value.
    [[nodiscard]] double arrival_at_most(std::size_t receiver) const {
        return ports_.ready(best_[receiver].sender) + best_[receiver].cost;
    }
    [[nodiscard]] bool settled(std::size_t receiver) const {
        return arrival_at_most(receiver) == arrival(receiver);
    }
    void settle(std::size_t receiver) {
        if (settled(receiver)) return;
        if (!few_[receiver].renew(ports_)) survey(receiver);
        best_[receiver] = few_[receiver].best();
    }
    void settle_all() {
        for (const std::size_t receiver : waiting_) settle(receiver);
    }
    /// The best sender of a settled receiver sends to it.
    void serve(std::size_t receiver) {
        assert(settled(receiver));
        const auto [arrival, cost, sender] = best_[receiver];
        order_.push_back({.from = sender, .to = receiver});
        ports_.join(receiver, Cost::ready(arrival));
        ports_.send(sender, ports_.ready(sender) + cost_.busy(sender, receiver));
        waiting_.erase(std::ranges::lower_bound(waiting_, receiver));
        join(receiver);
    }
    [[nodiscard]] const Order& order() const { return order_; }

private:
    struct Offer {
        double arrival = never;  ///< as it was when somebody looked: it is not less
        double cost = never;
        std::size_t sender = 0;
        [[nodiscard]] bool is_before(const Offer& other) const {
            return arrival < other.arrival || (arrival == other.arrival && sender < other.sender);
        }
    };

    /// The senders that are best for one receiver, and how good any other can be.
    class Few {
    public:
        [[nodiscard]] const Offer& best() const { return offers_.front(); }
        [[nodiscard]] const Offer& others() const { return others_; }
        void add(const Offer& offer) {
            if (!offer.is_before(others_)) return;
            if (count_ == offers_.size() && offers_[--count_].is_before(others_))
                others_ = offers_[count_];
            insert(offer);
        }
        /// Brings them up to date; false where one of the others may be better now.
        [[nodiscard]] bool renew(const SendPorts& ports) {
            for (std::size_t known = std::exchange(count_, 0), o = 0; o < known; ++o) {
                Offer offer = offers_[o];
                offer.arrival = ports.ready(offer.sender) + offer.cost;
                insert(offer);
            }
            return best().is_before(others_);
        }

    private:
        void insert(const Offer& offer) {
            std::size_t place = count_++;
            for (; place > 0 && offer.is_before(offers_[place - 1]); --place)
                offers_[place] = offers_[place - 1];
            offers_[place] = offer;
        }

        std::array<Offer, remembered> offers_;
        std::size_t count_ = 0;
        Offer others_;
    };

    void join(std::size_t sender) {
        holding_.push_back(sender);
        offer(sender);
    }
    void offer(std::size_t sender) {
        const double ready = ports_.ready(sender);
        const auto cost = cost_.from(sender);
        for (const std::size_t receiver : waiting_) {
            const double to_it = cost(receiver);
            if (ready + to_it > others_[receiver]) continue;
            const Offer offer{ready + to_it, to_it, sender};
            few_[receiver].add(offer);
            others_[receiver] = few_[receiver].others().arrival;
            if (offer.is_before(best_[receiver])) best_[receiver] = offer;
        }
    }
    void survey(std::size_t receiver) {
        // Reading a column takes about so many times as long as reading as much of a row.
        if (++surveyed_ * remembered >= waiting_.size()) return survey_all();
        few_[receiver] = {};
        for (const std::size_t sender : holding_) {
            const double cost = cost_.from(sender)(receiver);
            few_[receiver].add({ports_.ready(sender) + cost, cost, sender});
        }
        others_[receiver] = few_[receiver].others().arrival;
    }
    void survey_all() {
        surveyed_ = 0;
        for (const std::size_t receiver : waiting_) {
            few_[receiver] = {};
            best_[receiver] = {};
            others_[receiver] = never;
        }
        for (const std::size_t sender : holding_) offer(sender);
    }

    Cost cost_;
    SendPorts ports_;
    std::vector<std::size_t> holding_;
    std::vector<std::size_t> waiting_;
    // By receiver:
    std::vector<Offer> best_;
    std::vector<Few> few_;
    std::vector<double> others_;  ///< of few_[receiver].others(), for a quick look
    std::size_t surveyed_ = 0;    ///< one by one, since all were
    Order order_;
};

/// The one greedy loop. A rule says whom to serve: `rule.next(frontier)` settles what it needs to
/// know and returns a settled receiver; `rule.moved(receiver, waiting)` tells it who has left the
/// waiting ones.
template <typename Cost, typename Rule>
[[nodiscard]] Order grow(Frontier<Cost> frontier, Rule rule) {
    while (!frontier.waiting().empty()) {
        const std::size_t receiver = rule.next(frontier);
        frontier.serve(receiver);
        rule.moved(receiver, frontier.waiting());
    }
    return frontier.order();
}

/// The receiver of least arrival + F_j; of equals the one of least index. What a look-ahead says of
/// j is a lower bound until it is settled.
template <typename LookAhead>
class LeastFirst {
public:
    explicit LeastFirst(LookAhead look_ahead) : look_ahead_(std::move(look_ahead)) {}

    template <typename Cost>
    [[nodiscard]] std::size_t next(Frontier<Cost>& frontier) {
        std::size_t best = frontier.waiting().front();
        double least = infinity;
        for (const std::size_t j : frontier.waiting()) {
            if (frontier.arrival(j) + look_ahead_(j) >= least) continue;
            look_ahead_.settle(j, frontier.waiting());
            if (frontier.arrival(j) + look_ahead_(j) >= least) continue;
            frontier.settle(j);
            if (frontier.arrival(j) + look_ahead_(j) >= least) continue;
            least = frontier.arrival(j) + look_ahead_(j);
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
