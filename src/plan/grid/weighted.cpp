#include "plan/grid/weighted.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace espalier::plan::grid {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Growth {
public:
    Growth(const Problem& problem, const Weights& weights, double deadline)
        : problem_(problem),
          weights_(weights),
          deadline_(deadline),
          free_(problem.size() * problem.ports, infinity),
          value_(problem.size(), infinity),
          sender_(problem.size(), 0),
          stale_(problem.size(), 0) {
        for (std::size_t j = 0; j < problem.size(); ++j)
            if (j != problem.root) waiting_.push_back(j);
        order_.reserve(waiting_.size());
        join(problem.root, 0);
    }

    std::optional<Order> run() {
        while (!waiting_.empty()) {
            const std::size_t j = next();
            if (value_[j] == infinity) return std::nullopt;
            serve(j);
        }
        return std::move(order_);
    }

private:
    [[nodiscard]] double& port(std::size_t i) {
        double* first = &free_[i * problem_.ports];
        return *std::min_element(first, first + problem_.ports);
    }

    [[nodiscard]] double value(std::size_t i, std::size_t j) {
        const double ready = port(i);
        const double receipt = ready + problem_.delivery(i, j);
        if (receipt + problem_.inner[j] > deadline_ ||
            ready + problem_.gap(i, j) + problem_.inner[i] > deadline_)
            return infinity;
        return receipt - weights_.receiver * problem_.inner[j] +
               weights_.sender * problem_.inner[i];
    }

    void offer(std::size_t i, std::size_t j) {
        const double found = value(i, j);
        if (found >= value_[j]) return;
        value_[j] = found;
        sender_[j] = i;
    }

    /// Values only grow, so that one out of date is a lower bound.
    [[nodiscard]] std::size_t next() {
        std::size_t best = waiting_.front();
        double least = infinity;
        for (const std::size_t j : waiting_) {
            if (value_[j] >= least) continue;
            if (stale_[j] != 0) look(j);
            if (value_[j] >= least) continue;
            least = value_[j];
            best = j;
        }
        if (stale_[best] != 0) look(best);
        return best;
    }

    void look(std::size_t j) {
        stale_[j] = 0;
        if (value(sender_[j], j) == value_[j]) return;
        value_[j] = infinity;
        for (const std::size_t i : holding_) offer(i, j);
    }

    void serve(std::size_t j) {
        const std::size_t i = sender_[j];
        order_.push_back({.from = i, .to = j});
        double& ready = port(i);
        const double receipt = ready + problem_.delivery(i, j);
        ready += problem_.gap(i, j);
        waiting_.erase(std::lower_bound(waiting_.begin(), waiting_.end(), j));
        for (const std::size_t k : waiting_)
            if (sender_[k] == i) stale_[k] = 1;
        join(j, receipt);
    }

    void join(std::size_t i, double ready) {
        holding_.push_back(i);
        for (std::size_t p = 0; p < problem_.ports; ++p) free_[i * problem_.ports + p] = ready;
        for (const std::size_t j : waiting_) offer(i, j);
    }

    const Problem& problem_;
    Weights weights_;
    double deadline_;
    std::vector<double> free_;  ///< each port of each holding cluster
    std::vector<double> value_;
    std::vector<std::size_t> sender_;
    std::vector<char> stale_;
    std::vector<std::size_t> holding_;
    std::vector<std::size_t> waiting_;
    Order order_;
};

}  // namespace

std::optional<Order> weighted_order(const Problem& problem, const Weights& weights,
                                    double deadline) {
    return Growth(problem, weights, deadline).run();
}

}  // namespace espalier::plan::grid
