#include "ring/allocation.hpp"
#include "ring/rate_program.hpp"
#include "ring/sparse_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace espalier::ring {
namespace {

/// A primal-dual interior-point method with Mehrotra's predictor and corrector. Bandwidths stay
/// within the rows; the excess is raised to what they need, if a step has promised too much.
class InteriorPoint {
public:
    explicit InteriorPoint(const RateProgram& program)
        : program_(program),
          sum_(program.rows()),
          x_(program.flows().size(), 0.9),
          slacks_(program.rows() + 1 + program.hosts()),
          duals_(slacks_.size()),
          errors_(slacks_.size(), 0),
          gradients_(program.flows().size()),
          inverse_(program.flows().size()),
          residuals_(program.flows().size()),
          blocks_(program.hosts()),
          solver_(program.rows() + 1) {
        begin();
    }

    /// Until the best excess found is at most so much over the best bound found: relative to the
    /// whole step, and to the excess.
    void run(double of_step, double of_excess) {
        constexpr int most_steps = 60;
        for (int step = 0; step < most_steps; ++step) {
            record();
            wanted_optimality_gap_ =
                std::min(of_step * (program_.base() + best_), of_excess * best_);
            if (best_ - bound_ <= wanted_optimality_gap_) return;
            if (!advance()) return;
        }
    }

    [[nodiscard]] const std::vector<double>& best_x() const { return best_x_; }
    /// Those of the best bound.
    [[nodiscard]] const RateDuals& best_duals() const { return best_duals_; }

private:
    struct Direction {
        std::vector<double> x;
        double excess = 0;
        std::vector<double> slacks;
        std::vector<double> duals;
    };
    /// What a host's two flows, each a multiple of its own gradient, contribute to the system once
    /// its dual value is eliminated.
    struct Block {
        double pivot = 0;
        std::array<double, 2> factors{};  // of its flows in the column that was eliminated
    };

    /// The constraint that the host communicates within the step.
    [[nodiscard]] std::size_t of_host(std::size_t host) const { return sum_ + 1 + host; }

    void begin() {
        const auto needed = program_.needed_by_host(x_);
        excess_ = std::max(program_.needed(x_), std::ranges::max(needed)) * 1.2;
        double offered = 0;
        for (std::size_t row = 0; row < sum_; ++row) {
            double used = 0;
            for (const auto& [flow, use] : program_.of_row(row)) used += use * x_[flow];
            slacks_[row] = 1 - used;
            offered += used / slacks_[row];
        }
        slacks_[sum_] = excess_ - program_.needed(x_);
        for (std::size_t host = 0; host < program_.hosts(); ++host)
            slacks_[of_host(host)] = excess_ - needed[host];
        double total = 0;
        for (std::size_t c = sum_; c < slacks_.size(); ++c) total += 1 / slacks_[c];
        for (std::size_t c = sum_; c < slacks_.size(); ++c) duals_[c] = 1 / (slacks_[c] * total);
        double wanted = 0;
        for (std::size_t flow = 0; flow < x_.size(); ++flow) wanted += amount(flow) / x_[flow];
        for (std::size_t row = 0; row < sum_; ++row) duals_[row] = wanted / offered / slacks_[row];
    }

    /// a of bound(): what the flow's time weighs.
    [[nodiscard]] double amount(std::size_t flow) const {
        const auto& [host, weight, time] = program_.flows()[flow];
        return duals_[sum_] * weight + duals_[of_host(host)] * time;
    }

    /// How much more room the constraints of work and hosts have than their slacks say: less than
    /// none after a step, because what they need is convex.
    void measure_errors() {
        errors_[sum_] = excess_ - program_.needed(x_) - slacks_[sum_];
        const auto needed = program_.needed_by_host(x_);
        for (std::size_t host = 0; host < program_.hosts(); ++host)
            errors_[of_host(host)] = excess_ - needed[host] - slacks_[of_host(host)];
    }

    [[nodiscard]] RateDuals duals() const {
        const auto sum = duals_.begin() + static_cast<std::ptrdiff_t>(sum_);
        return {{duals_.begin(), sum}, *sum, {sum + 1, duals_.end()}};
    }

    void record() {
        auto x = x_;
        program_.fit(x);
        const double excess = program_.excess(x);
        if (excess < best_) {
            best_ = excess;
            best_x_ = std::move(x);
        }
        RateDuals duals = this->duals();
        const double bound = program_.bound(duals);
        if (bound > bound_) {
            bound_ = bound;
            best_duals_ = std::move(duals);
        }
    }

    /// Builds and factors the system in the duals of rows and work, and the solution for the
    /// column of the excess.
    void factor() {
        solver_.clear();
        const auto last = static_cast<std::uint32_t>(program_.rows());
        for (std::size_t flow = 0; flow < x_.size(); ++flow) {
            double price = 0;
            for (const auto& [row, use] : program_.of_flow(flow)) price += use * duals_[row];
            const double squared = x_[flow] * x_[flow];
            gradients_[flow] = 1 / squared;
            residuals_[flow] = amount(flow) / squared - price;
            inverse_[flow] = 0.5 * squared / std::sqrt(amount(flow) * price);
        }
        for (std::size_t host = 0; host < program_.hosts(); ++host) {
            const std::size_t first = program_.first_flow(host);
            const std::size_t end = program_.first_flow(host + 1);
            Block& block = blocks_[host];
            const double own = slacks_[of_host(host)] / duals_[of_host(host)];
            block.pivot = own;
            std::array<double, 2> parts{};
            for (std::size_t flow = first; flow < end; ++flow) {
                const double gradient = program_.flows()[flow].time * gradients_[flow];
                block.factors[flow - first] = -gradient * inverse_[flow];
                parts[flow - first] = gradient * gradient * inverse_[flow];
                block.pivot += parts[flow - first];
            }
            for (std::size_t a = first; a < end; ++a)
                for (std::size_t b = first; b < end; ++b) {
                    // The inverse of the two flows' 2 x 2 matrix, written so that nothing cancels.
                    const double factor =
                        a == b ? inverse_[a] *
                                     (own + (end - first == 2 ? parts[1 - (a - first)] : 0)) /
                                     block.pivot
                               : -block.factors[a - first] * block.factors[b - first] / block.pivot;
                    const double in_sum_a = -program_.flows()[a].weight * gradients_[a];
                    const double in_sum_b = -program_.flows()[b].weight * gradients_[b];
                    for (const auto& [row, use] : program_.of_flow(a)) {
                        for (const auto& [other, other_use] : program_.of_flow(b))
                            if (row <= other) solver_.at(row, other) += factor * use * other_use;
                        solver_.at(row, last) += factor * use * in_sum_b;
                    }
                    solver_.at(last, last) += factor * in_sum_a * in_sum_b;
                }
        }
        for (std::uint32_t row = 0; row <= last; ++row)
            solver_.at(row, row) += slacks_[row] / duals_[row];
        solver_.factor();
    }

    /// Solves for duals, given the right-hand side of each constraint, in place.
    void solve(std::vector<double>& duals) const {
        const auto for_each_coefficient = [&](std::size_t host, auto&& visit) {
            const std::size_t first = program_.first_flow(host);
            for (std::size_t flow = first; flow < program_.first_flow(host + 1); ++flow) {
                const double factor = blocks_[host].factors[flow - first];
                for (const auto& [row, use] : program_.of_flow(flow)) visit(row, factor * use);
                visit(sum_, -factor * program_.flows()[flow].weight * gradients_[flow]);
            }
        };
        for (std::size_t host = 0; host < program_.hosts(); ++host) {
            double& own = duals[of_host(host)];
            own /= blocks_[host].pivot;
            for_each_coefficient(host, [&](std::size_t row, double coefficient) {
                duals[row] -= coefficient * own;
            });
        }
        solver_.solve(duals);
        for (std::size_t host = 0; host < program_.hosts(); ++host) {
            double sum = 0;
            for_each_coefficient(host, [&](std::size_t row, double coefficient) {
                sum += coefficient * duals[row];
            });
            duals[of_host(host)] -= sum / blocks_[host].pivot;
        }
    }

    /// The Newton direction towards products of slacks and duals that are `target`, less what
    /// `second_order` says that the products of the last direction's steps will add.
    [[nodiscard]] Direction direction(double target, const Direction* second_order) const;
    [[nodiscard]] double longest_step(const Direction& direction) const;
    [[nodiscard]] double product(const Direction& direction, double step) const;
    [[nodiscard]] double disagreement() const;
    bool advance();

    const RateProgram& program_;
    std::size_t sum_;  ///< the constraint that the work is done; rows come before, hosts after it
    std::vector<double> x_;
    double excess_ = 0;
    // What each constraint has.
    std::vector<double> slacks_;
    std::vector<double> duals_;
    std::vector<double> errors_;

    // What belongs to the current step.
    std::vector<double> gradients_;
    std::vector<double> inverse_;
    std::vector<double> residuals_;
    std::vector<Block> blocks_;
    SparseSolver solver_;
    std::vector<double> column_;  // the solution for the column of the excess

    double wanted_optimality_gap_ = 0;
    double best_ = std::numeric_limits<double>::infinity();
    double bound_ = -std::numeric_limits<double>::infinity();
    std::vector<double> best_x_;
    RateDuals best_duals_;
};

InteriorPoint::Direction InteriorPoint::direction(double target,
                                                  const Direction* second_order) const {
    Direction result;
    std::vector<double>& duals = result.duals;
    for (std::size_t c = 0; c < slacks_.size(); ++c) {
        const double added = second_order ? second_order->slacks[c] * second_order->duals[c] : 0;
        duals.push_back((target - added) / duals_[c] - (slacks_[c] + errors_[c]));
    }
    for (std::size_t flow = 0; flow < x_.size(); ++flow) {
        const auto& [host, weight, time] = program_.flows()[flow];
        const double scaled = residuals_[flow] * inverse_[flow];
        for (const auto& [row, use] : program_.of_flow(flow)) duals[row] += use * scaled;
        duals[sum_] -= weight * gradients_[flow] * scaled;
        duals[of_host(host)] -= time * gradients_[flow] * scaled;
    }
    solve(duals);

    double reached = 0;
    double column = 0;
    double total = 0;
    for (std::size_t c = sum_; c < slacks_.size(); ++c) {
        reached += duals[c];
        column += column_[c];
        total += duals_[c];
    }
    result.excess = (reached - (1 - total)) / column;
    for (std::size_t c = 0; c < slacks_.size(); ++c) duals[c] -= result.excess * column_[c];

    result.x.resize(x_.size());
    result.slacks = errors_;
    for (std::size_t c = sum_; c < slacks_.size(); ++c) result.slacks[c] += result.excess;
    for (std::size_t flow = 0; flow < x_.size(); ++flow) {
        const auto& [host, weight, time] = program_.flows()[flow];
        double change = residuals_[flow];
        for (const auto& [row, use] : program_.of_flow(flow)) change -= use * duals[row];
        change += gradients_[flow] * (weight * duals[sum_] + time * duals[of_host(host)]);
        result.x[flow] = change * inverse_[flow];
        for (const auto& [row, use] : program_.of_flow(flow))
            result.slacks[row] -= use * result.x[flow];
        result.slacks[sum_] += weight * gradients_[flow] * result.x[flow];
        result.slacks[of_host(host)] += time * gradients_[flow] * result.x[flow];
    }
    return result;
}

double InteriorPoint::longest_step(const Direction& direction) const {
    double step = std::numeric_limits<double>::infinity();
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

/// How far the flow that is furthest from it is from a bandwidth that suits its price: 0 to 1.
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
    column_.assign(slacks_.size(), 1);
    std::fill_n(column_.begin(), sum_, 0);
    solve(column_);

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
    measure_errors();
    return true;
}

}  // namespace

Optimum optimal_rates(const Problem& problem, const Embedding& embedding, double tolerance,
                      const Rates* start) {
    Optimum optimum;
    optimum.prices.assign(problem.platform.links(), 0);
    const Capacities capacities(problem.platform, embedding);
    if (capacities.flows().empty()) {
        optimum.rates = capacities.rates(embedding.size(), {});
        optimum.division = divide_work(problem, embedding, optimum.rates);
        return optimum;
    }
    std::vector<double> guess;
    if (start != nullptr) {
        guess = capacities.of_flows(*start);
        capacities.fit(guess);
    } else {
        guess = max_min(capacities);
    }
    const RateProgram program(problem, embedding, capacities, guess);
    InteriorPoint method(program);
    // Where messages hardly count, rates and prices shall still make sense.
    constexpr double of_excess = 1e3;
    method.run(tolerance, of_excess * tolerance);
    for (std::size_t flow = 0; flow < guess.size(); ++flow) guess[flow] *= method.best_x()[flow];
    optimum.rates = capacities.rates(embedding.size(), guess);
    optimum.division = divide_work(problem, embedding, optimum.rates);

    const auto& duals = method.best_duals();
    // Where communication alone decides, no work is lost: prices are as if all hosts made up for
    // it.
    constexpr double least_share = 1e-6;
    const double share = duals.sum > least_share ? duals.sum : 1;
    const double per_work = program.time_unit() * program.speed() / share;
    for (std::size_t row = 0; row < program.rows(); ++row) {
        const auto& [link, bandwidth] = capacities.rows()[row];
        optimum.prices[link] += duals.rows[row] * per_work / bandwidth;
    }
    return optimum;
}

}  // namespace espalier::ring
