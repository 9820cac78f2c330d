#include "core/infinity.hpp"
#include "ring/rate_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace espalier::ring {
namespace {

/// Solves symmetric positive definite systems of a few hundred unknowns by elimination in the given
/// order, which skips what is 0.
class SparseSolver {
public:
    explicit SparseSolver(std::size_t size) : size_(size), cells_(size * size, 0) {}

    void clear() { std::ranges::fill(cells_, 0); }
    /// row <= column: the other half is never looked at.
    [[nodiscard]] double& at(std::size_t row, std::size_t column) {
        return cells_[row * size_ + column];
    }

    /// Leaves L' with a unit diagonal above the diagonal, and on it the inverse of D, of L D L'.
    void factor() {
        for (std::size_t pivot = 0; pivot < size_; ++pivot) {
            double* const from = cells_.data() + pivot * size_;
            // Rounding may have taken what was left of a row that others nearly imply.
            from[pivot] = 1 / std::max(from[pivot], std::numeric_limits<double>::min());
            for (std::size_t row = pivot + 1; row < size_; ++row) {
                if (from[row] == 0) continue;
                const double factor = from[row] * from[pivot];
                double* const to = cells_.data() + row * size_;
                for (std::size_t column = row; column < size_; ++column)
                    to[column] -= factor * from[column];
            }
            for (std::size_t row = pivot + 1; row < size_; ++row) from[row] *= from[pivot];
        }
    }

    /// Solves the system for this right-hand side, in place.
    void solve(std::vector<double>& right) const {
        for (std::size_t pivot = 0; pivot < size_; ++pivot) {
            const double* const from = cells_.data() + pivot * size_;
            for (std::size_t row = pivot + 1; row < size_; ++row)
                right[row] -= from[row] * right[pivot];
        }
        for (std::size_t pivot = size_; pivot-- > 0;) {
            const double* const from = cells_.data() + pivot * size_;
            double value = right[pivot] * from[pivot];
            for (std::size_t row = pivot + 1; row < size_; ++row) value -= from[row] * right[row];
            right[pivot] = value;
        }
    }

private:
    std::size_t size_;
    std::vector<double> cells_;  // row by row
};

/// Bandwidths stay within the rows; the excess is raised to what they need, if a step has promised
/// too much. Constraints are those of the hosts, then of the rows, then of the work: so elimination
/// fills in least.
class InteriorPoint {
public:
    explicit InteriorPoint(const RateProgram& program)
        : program_(program),
          rows_(program.hosts()),
          sum_(rows_ + program.rows().size()),
          x_(program.flows().size(), 0.9),
          slacks_(sum_ + 1),
          duals_(sum_ + 1),
          errors_(sum_ + 1, 0),
          gradients_(x_.size()),
          inverse_(x_.size()),
          residuals_(x_.size()),
          solver_(sum_ + 1) {
        begin();
    }

    RateOptimum run(double of_step, double of_excess) {
        constexpr int most_steps = 60;
        for (int step = 0; step < most_steps; ++step) {
            record();
            wanted_optimality_gap_ =
                std::min(of_step * (program_.base() + least_), of_excess * least_);
            if (least_ - bound_ <= wanted_optimality_gap_ || !advance()) break;
        }
        return std::move(best_);
    }

private:
    struct Direction {
        std::vector<double> x;
        double excess = 0;
        std::vector<double> slacks;
        std::vector<double> duals;
    };

    /// Visits the constraints that bound the excess: those of the hosts and that of the work.
    template <typename Visit>
    void for_each_of_time(const Visit& visit) const {
        for (std::size_t host = 0; host < rows_; ++host) visit(host);
        visit(sum_);
    }
    /// Visits the constraints that the flow takes part in, with the derivatives by x of what it
    /// needs.
    template <typename Visit>
    void for_each_of_flow(std::size_t flow, const Visit& visit) const {
        const auto& [message, host, weight, time] = program_.flows()[flow];
        visit(host, -time * gradients_[flow]);
        for (const auto& [row, use] : program_.of_flow(flow)) visit(rows_ + row, use);
        visit(sum_, -weight * gradients_[flow]);
    }
    /// The weight of the flow's time: a of bound().
    [[nodiscard]] double amount(std::size_t flow) const {
        const auto& [message, host, weight, time] = program_.flows()[flow];
        return duals_[sum_] * weight + duals_[host] * time;
    }

    /// The room that x leaves in the constraints of time.
    [[nodiscard]] std::vector<double> room() const {
        std::vector<double> room = program_.needed_by_host(x_);
        room.resize(sum_);
        room.push_back(program_.needed(x_));
        for_each_of_time([&](std::size_t c) { room[c] = excess_ - room[c]; });
        return room;
    }

    void begin() {
        excess_ = program_.excess(x_) * 1.2;
        slacks_ = room();
        double offered = 0;
        for (std::size_t row = 0; row < program_.rows().size(); ++row) {
            double used = 0;
            for (const auto& [flow, use] : program_.of_row(row)) used += use * x_[flow];
            slacks_[rows_ + row] = 1 - used;
            offered += used / (1 - used);
        }
        double total = 0;
        for_each_of_time([&](std::size_t c) { total += 1 / slacks_[c]; });
        for_each_of_time([&](std::size_t c) { duals_[c] = 1 / (slacks_[c] * total); });
        double wanted = 0;
        for (std::size_t flow = 0; flow < x_.size(); ++flow) wanted += amount(flow) / x_[flow];
        for (std::size_t c = rows_; c < sum_; ++c) duals_[c] = wanted / offered / slacks_[c];
    }

    void record() {
        auto x = x_;
        program_.fit(x);
        const double excess = program_.excess(x);
        if (excess < least_) {
            least_ = excess;
            best_.x = std::move(x);
        }
        const auto rows = duals_.begin() + static_cast<std::ptrdiff_t>(rows_);
        RateDuals duals{{rows, duals_.end() - 1}, duals_.back(), {duals_.begin(), rows}};
        const double bound = program_.bound(duals);
        if (bound > bound_) {
            bound_ = bound;
            best_.duals = std::move(duals);
        }
    }

    void factor();
    /// The Newton direction towards products of slacks and duals that are `target`, less what
    /// `second_order` says that the products of the last direction's steps will add.
    [[nodiscard]] Direction direction(double target, const Direction* second_order) const;
    [[nodiscard]] double longest_step(const Direction& direction) const;
    [[nodiscard]] double product(const Direction& direction, double step) const;
    [[nodiscard]] double disagreement() const;
    bool advance();

    const RateProgram& program_;
    std::size_t rows_;  ///< the first row's constraint; hosts come before
    std::size_t sum_;   ///< the constraint that the work is done, the last one
    std::vector<double> x_;
    double excess_ = 0;
    // What each constraint has.
    std::vector<double> slacks_;
    std::vector<double> duals_;
    /// The difference between the room in the constraints and their slacks: negative after a step,
    /// because what hosts and the work need is convex.
    std::vector<double> errors_;

    // What belongs to the current step.
    std::vector<double> gradients_;
    std::vector<double> inverse_;
    std::vector<double> residuals_;
    SparseSolver solver_;
    std::vector<double> column_;  // the solution for the column of the excess

    double wanted_optimality_gap_ = 0;
    double least_ = infinity;
    double bound_ = -infinity;
    RateOptimum best_;
};

/// Builds and factors the system in the duals, and solves it for the column of the excess.
void InteriorPoint::factor() {
    solver_.clear();
    for (std::size_t flow = 0; flow < x_.size(); ++flow) {
        double price = 0;
        for (const auto& [row, use] : program_.of_flow(flow)) price += use * duals_[rows_ + row];
        const double squared = x_[flow] * x_[flow];
        gradients_[flow] = 1 / squared;
        residuals_[flow] = amount(flow) / squared - price;
        inverse_[flow] = 0.5 * squared / std::sqrt(amount(flow) * price);
        for_each_of_flow(flow, [&](std::size_t one, double by_one) {
            for_each_of_flow(flow, [&](std::size_t other, double by_other) {
                if (one <= other) solver_.at(one, other) += inverse_[flow] * by_one * by_other;
            });
        });
    }
    for (std::size_t c = 0; c < slacks_.size(); ++c) solver_.at(c, c) += slacks_[c] / duals_[c];
    solver_.factor();
    column_.assign(slacks_.size(), 0);
    for_each_of_time([&](std::size_t c) { column_[c] = 1; });
    solver_.solve(column_);
}

InteriorPoint::Direction InteriorPoint::direction(double target,
                                                  const Direction* second_order) const {
    Direction result;
    std::vector<double>& duals = result.duals;
    for (std::size_t c = 0; c < slacks_.size(); ++c) {
        const double added = second_order ? second_order->slacks[c] * second_order->duals[c] : 0;
        duals.push_back((target - added) / duals_[c] - (slacks_[c] + errors_[c]));
    }
    for (std::size_t flow = 0; flow < x_.size(); ++flow)
        for_each_of_flow(flow, [&](std::size_t c, double by_x) {
            duals[c] += by_x * residuals_[flow] * inverse_[flow];
        });
    solver_.solve(duals);

    double reached = 0;
    double column = 0;
    double total = 0;
    for_each_of_time([&](std::size_t c) {
        reached += duals[c];
        column += column_[c];
        total += duals_[c];
    });
    result.excess = (reached - (1 - total)) / column;
    for (std::size_t c = 0; c < slacks_.size(); ++c) duals[c] -= result.excess * column_[c];

    result.x = residuals_;
    result.slacks = errors_;
    for_each_of_time([&](std::size_t c) { result.slacks[c] += result.excess; });
    for (std::size_t flow = 0; flow < x_.size(); ++flow) {
        double& change = result.x[flow];
        for_each_of_flow(flow, [&](std::size_t c, double by_x) { change -= by_x * duals[c]; });
        change *= inverse_[flow];
        for_each_of_flow(flow,
                         [&](std::size_t c, double by_x) { result.slacks[c] -= by_x * change; });
    }
    return result;
}

double InteriorPoint::longest_step(const Direction& direction) const {
    double step = infinity;
    const auto keep = [&](double value, double change) {
        if (change < 0) step = std::min(step, -value / change);
    };
    constexpr double most_of_it = 0.7;  // the time that it takes grows too fast
    for (std::size_t flow = 0; flow < x_.size(); ++flow)
        keep(most_of_it * x_[flow], direction.x[flow]);
    for (std::size_t c = 0; c < slacks_.size(); ++c) {
        keep(slacks_[c], direction.slacks[c]);
        keep(duals_[c], direction.duals[c]);
    }
    return step;
}

/// The mean of the products of slacks and duals after a step.
double InteriorPoint::product(const Direction& direction, double step) const {
    double sum = 0;
    for (std::size_t c = 0; c < slacks_.size(); ++c)
        sum += (slacks_[c] + step * direction.slacks[c]) * (duals_[c] + step * direction.duals[c]);
    return sum / static_cast<double>(slacks_.size());
}

/// The greatest distance of a flow from the bandwidth that suits its price, from 0 to 1.
double InteriorPoint::disagreement() const {
    double worst = 0;
    for (std::size_t flow = 0; flow < x_.size(); ++flow) {
        const double wanted = amount(flow) * gradients_[flow];
        const double price = wanted - residuals_[flow];
        worst = std::max(worst, std::abs(residuals_[flow]) / (wanted + price));
    }
    return worst;
}

bool InteriorPoint::advance() {
    factor();
    const Direction predictor = direction(0, nullptr);
    const double now = std::inner_product(slacks_.begin(), slacks_.end(), duals_.begin(), 0.0) /
                       static_cast<double>(slacks_.size());
    const double left = product(predictor, std::min(1.0, longest_step(predictor))) / now;
    // No faster than the flows come to agree with their prices, and no further than is asked for.
    const double shrunk = now * std::max(left * left * left, 0.3 * disagreement());
    const double least = 0.3 * wanted_optimality_gap_ / static_cast<double>(slacks_.size());
    Direction corrected = direction(std::max(shrunk, least), &predictor);
    double step = std::min(1.0, 0.99 * longest_step(corrected));
    constexpr double too_short = 0.2;
    if (!(step > too_short)) {
        // Some products are so much less than others that they have to be evened out first.
        corrected = direction(std::max(0.5 * now, least), nullptr);
        step = std::min(1.0, 0.99 * longest_step(corrected));
    }
    // At the end of what doubles can tell.
    if (!(step > 1e-12) || !std::isfinite(corrected.excess)) return false;

    for (std::size_t flow = 0; flow < x_.size(); ++flow) x_[flow] += step * corrected.x[flow];
    excess_ += step * corrected.excess;
    for (std::size_t c = 0; c < slacks_.size(); ++c) {
        slacks_[c] += step * corrected.slacks[c];
        duals_[c] += step * corrected.duals[c];
    }
    const auto room = this->room();
    for_each_of_time([&](std::size_t c) { errors_[c] = room[c] - slacks_[c]; });
    return true;
}

}  // namespace

RateOptimum solve(const RateProgram& program, double of_step, double of_excess) {
    return InteriorPoint(program).run(of_step, of_excess);
}

}  // namespace espalier::ring
