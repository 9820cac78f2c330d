#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::simulate {

/// A broadcast of one whole message among nodes that come in classes of like nodes, in seconds.
struct ClassedBroadcast {
    Matrix<double> gap;                 ///< a send occupies a port of its sender for this long
    Matrix<double> delivery;            ///< start to receipt; the diagonal: to another of the class
    std::vector<double> after_receipt;  ///< what a node still needs once it is served
    std::vector<double> after_send;     ///< and once it has sent the last
    std::vector<std::size_t> count;     ///< nodes of the class; the root is one of its class's
    std::size_t root = 0;               ///< its class
    std::size_t ports = 1;              ///< sends of a node at once

    [[nodiscard]] std::size_t size() const { return count.size(); }
};

/// Prices that prove what no broadcast can do. A node that holds the message has `ports` slots.
/// Give each class a price; then the worth of a slot of class i that is free when `remaining` is
/// left before the deadline is
///   U_i(s) = max(0, max_j price_j + ports * U_j(s - delivery) + U_i(s - gap)),
/// over the j with s - gap >= after_send_i and s - delivery >= after_receipt_j: what its sends may
/// earn, if a node could be served any number of times. A broadcast serves each once. So where the
/// root's slots are worth less than all nodes to serve cost, no broadcast is over by that deadline.
///
/// U is kept at multiples of a step, each time between them counting as the next multiple, so that
/// rounding never understates it.
class SlotPrices {
public:
    /// Deadlines up to `horizon` > 0, which is cut into `steps` >= 1.
    SlotPrices(const ClassedBroadcast& problem, double horizon, std::size_t steps);

    /// Fills the table for these prices, one a class.
    void set_prices(const std::vector<double>& prices);
    [[nodiscard]] const std::vector<double>& prices() const { return prices_; }
    /// Sum of the prices of all nodes to be served.
    [[nodiscard]] double demand() const { return demand_; }

    /// No broadcast is over by then, nor sooner.
    [[nodiscard]] double infeasible_deadline() const {
        return static_cast<double>(first_open_ - 1) * step_;
    }
    /// An upper bound on what a slot of the class can earn within `remaining` <= horizon.
    [[nodiscard]] double value(std::size_t node_class, double remaining) const {
        if (!(remaining > 0)) return worth_[node_class * width_];
        const double index = remaining * per_step_;
        return worth_[node_class * width_ + static_cast<std::size_t>(index) + 1];
    }

    /// Against the deadline number `index` (in steps): what the root's slots are worth beyond the
    /// demand, and how often the best sends serve each class.
    struct Excess {
        double amount = 0;
        std::vector<double> served;
    };
    [[nodiscard]] Excess excess(std::size_t index);

    [[nodiscard]] std::size_t steps() const { return steps_; }
    /// The cost of filling it, in cells that are filled in long runs.
    [[nodiscard]] std::size_t cells() const {
        return problem_.size() * problem_.size() * steps_ * (block_ + 16) / block_;
    }
    [[nodiscard]] double step() const { return step_; }
    /// The first deadline, in steps, that is not excluded; steps() + 1 where all are.
    [[nodiscard]] std::size_t first_open() const { return first_open_; }

private:
    /// A send between two classes, in steps.
    struct Edge {
        std::size_t to = 0;
        std::size_t first = 0;  ///< least index of U_i from which it can be made
        std::size_t delivery = 0;
        std::size_t gap = 0;
    };

    void fill_block(std::size_t begin, std::size_t end);
    void fill_edge(const double* to, double price, double* row, const Edge& edge, std::size_t begin,
                   std::size_t end) const;

    const ClassedBroadcast& problem_;
    std::size_t steps_;
    double step_;
    double per_step_;
    std::size_t width_;  ///< of a row of worth_
    std::size_t block_ = 1;
    std::vector<std::vector<Edge>> edges_;
    std::vector<double> prices_;
    double demand_ = 0;
    double cap_ = 0;
    std::vector<double> worth_;
    std::vector<double> slots_;  ///< how many are free, in excess()
    std::size_t first_open_ = 1;
};

/// A horizon and the number of steps into which it is cut.
struct TimeGrid {
    double horizon = 0;
    std::size_t steps = 0;
};
/// `steps` of them; or, where all times of the problem are multiples of a unit of which no more
/// than `most` reach to the horizon, that unit, so that nothing is rounded (the horizon moves up to
/// the next multiple).
[[nodiscard]] TimeGrid time_grid(const ClassedBroadcast& problem, double horizon, std::size_t steps,
                                 std::size_t most);

/// How much work goes into the search for good prices.
struct PricingEffort {
    std::size_t rounds = 100;
    std::size_t steps = 512;  ///< of the table while looking
    std::size_t fine_steps = 4096;
    std::size_t cells = std::size_t{1} << 40;  ///< of all tables; some 0.3 ns each
};

/// A proven bound and the prices that prove it (empty: it is `from`).
struct PricedBound {
    double bound = 0;
    std::vector<double> prices;
};

/// Looks for prices whose bound exceeds `from`, itself a bound; stops at `enough` (the makespan of
/// a broadcast that is known, say), or once `stop()` says so, which is asked every round.
[[nodiscard]] PricedBound find_prices(const ClassedBroadcast& problem, double from, double enough,
                                      const PricingEffort& effort,
                                      const std::function<bool()>& stop);

}  // namespace espalier::simulate
