#include "plan/ring/allocation.hpp"
#include "plan/ring/rate_program.hpp"
#include "plan/ring/sparse_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace espalier::plan::ring {
namespace {

/// A primal-dual interior-point method with Mehrotra's predictor and corrector. Bandwidths stay
/// within the rows; the excess is raised to what they need, if a step has promised too much.
class InteriorPoint {
public:
    explicit InteriorPoint(const RateProgram& program)
        : program_(program),
          x_(program.flows().size(), 0.9),
          row_slacks_(program.rows()),
          host_slacks_(program.hosts()),
          host_errors_(program.hosts(), 0),
          gradients_(program.flows().size()),
          inverse_(program.flows().size()),
          residuals_(program.flows().size()),
          blocks_(program.hosts()),
          solver_(program.rows() + 1) {
        duals_.rows.resize(program.rows());
        duals_.hosts.resize(program.hosts());
        begin();
    }

    /// Until the best excess found is at most so much over the best bound found: relative to the
    /// whole step, and to the excess.
    void run(double of_step, double of_excess) {
        constexpr int most_steps = 60;
        for (int step = 0; step < most_steps; ++step) {
            record();
            wanted_gap_ = std::min(of_step * (program_.base() + best_), of_excess * best_);
            if (best_ - bound_ <= wanted_gap_) return;
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
        RateDuals duals;
        std::vector<double> row_slacks;
        double sum_slack = 0;
        std::vector<double> host_slacks;
    };
    /// What a host's two flows, each a multiple of its own gradient, contribute to the system once
    /// its dual value is eliminated.
    struct Block {
        double pivot = 0;
        std::array<double, 2> factors{};  // of its flows in the column that was eliminated
    };

    void begin() {
        const auto needed = program_.needed_by_host(x_);
        excess_ = std::max(program_.needed(x_), std::ranges::max(needed)) * 1.2;
        for (std::size_t row = 0; row < program_.rows(); ++row) {
            double used = 0;
            for (const auto& [flow, use] : program_.of_row(row)) used += use * x_[flow];
            row_slacks_[row] = 1 - used;
        }
        sum_slack_ = excess_ - program_.needed(x_);
        for (std::size_t host = 0; host < program_.hosts(); ++host)
            host_slacks_[host] = excess_ - needed[host];
        double total = 1 / sum_slack_;
        for (const double slack : host_slacks_) total += 1 / slack;
        duals_.sum = 1 / (sum_slack_ * total);
        for (std::size_t host = 0; host < program_.hosts(); ++host)
            duals_.hosts[host] = 1 / (host_slacks_[host] * total);
        double wanted = 0;
        for (std::size_t flow = 0; flow < x_.size(); ++flow) wanted += amount(flow) / x_[flow];
        double offered = 0;
        for (const double slack : row_slacks_) offered += (1 - slack) / slack;
        for (std::size_t row = 0; row < program_.rows(); ++row)
            duals_.rows[row] = wanted / offered / row_slacks_[row];
    }

    /// a of bound(): what the flow's time weighs.
    [[nodiscard]] double amount(std::size_t flow) const {
        const auto& [host, weight, time] = program_.flows()[flow];
        return duals_.sum * weight + duals_.hosts[host] * time;
    }

    /// How much more room the constraints of work and hosts have than their slacks say: less than
    /// none after a step, because what they need is convex.
    void measure_errors() {
        sum_error_ = excess_ - program_.needed(x_) - sum_slack_;
        const auto needed = program_.needed_by_host(x_);
        for (std::size_t host = 0; host < program_.hosts(); ++host)
            host_errors_[host] = excess_ - needed[host] - host_slacks_[host];
    }

    void record() {
        auto x = x_;
        program_.fit(x);
        const double excess = program_.excess(x);
        if (excess < best_) {
            best_ = excess;
            best_x_ = std::move(x);
        }
        const double bound = program_.bound(duals_);
        if (bound > bound_) {
            bound_ = bound;
            best_duals_ = duals_;
        }
    }

    /// Builds and factors the system in the duals of rows and work, and the solution for the
    /// column of the excess.
    void factor() {
        solver_.clear();
        const auto last = static_cast<std::uint32_t>(program_.rows());
        for (std::size_t flow = 0; flow < x_.size(); ++flow) {
            double price = 0;
            for (const auto& [row, use] : program_.of_flow(flow)) price += use * duals_.rows[row];
            const double squared = x_[flow] * x_[flow];
            gradients_[flow] = 1 / squared;
            residuals_[flow] = amount(flow) / squared - price;
            inverse_[flow] = 0.5 * squared / std::sqrt(amount(flow) * price);
        }
        for (std::size_t host = 0; host < program_.hosts(); ++host) {
            const std::size_t first = program_.first_flow(host);
            const std::size_t end = program_.first_flow(host + 1);
            Block& block = blocks_[host];
            const double own = host_slacks_[host] / duals_.hosts[host];
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
        for (std::uint32_t row = 0; row < last; ++row)
            solver_.at(row, row) += row_slacks_[row] / duals_.rows[row];
        solver_.at(last, last) += sum_slack_ / duals_.sum;
        solver_.factor();
    }

    /// Solves for duals with `rows_and_sum` and `hosts` on the right-hand side, in place.
    void solve(std::vector<double>& rows_and_sum, std::vector<double>& hosts) const {
        const std::size_t last = program_.rows();
        const auto for_each_coefficient = [&](std::size_t host, auto&& visit) {
            const std::size_t first = program_.first_flow(host);
            for (std::size_t flow = first; flow < program_.first_flow(host + 1); ++flow) {
                const double factor = blocks_[host].factors[flow - first];
                for (const auto& [row, use] : program_.of_flow(flow)) visit(row, factor * use);
                visit(last, -factor * program_.flows()[flow].weight * gradients_[flow]);
            }
        };
        for (std::size_t host = 0; host < hosts.size(); ++host) {
            hosts[host] /= blocks_[host].pivot;
            for_each_coefficient(host, [&](std::size_t row, double coefficient) {
                rows_and_sum[row] -= coefficient * hosts[host];
            });
        }
        solver_.solve(rows_and_sum);
        for (std::size_t host = 0; host < hosts.size(); ++host) {
            double sum = 0;
            for_each_coefficient(host, [&](std::size_t row, double coefficient) {
                sum += coefficient * rows_and_sum[row];
            });
            hosts[host] -= sum / blocks_[host].pivot;
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
    std::vector<double> x_;
    double excess_ = 0;
    RateDuals duals_;
    std::vector<double> row_slacks_;
    double sum_slack_ = 0;
    std::vector<double> host_slacks_;
    double sum_error_ = 0;
    std::vector<double> host_errors_;

    // Of the current step.
    std::vector<double> gradients_;
    std::vector<double> inverse_;
    std::vector<double> residuals_;
    std::vector<Block> blocks_;
    SparseSolver solver_;
    std::vector<double> column_;  // the solution for the column of the excess
    std::vector<double> host_column_;

    double wanted_gap_ = 0;
    double best_ = std::numeric_limits<double>::infinity();
    double bound_ = -std::numeric_limits<double>::infinity();
    std::vector<double> best_x_;
    RateDuals best_duals_;
};

InteriorPoint::Direction InteriorPoint::direction(double target,
                                                  const Direction* second_order) const {
    const std::size_t rows = program_.rows();
    const std::size_t hosts = program_.hosts();
    Direction result;
    std::vector<double> right(rows + 1);
    std::vector<double> right_hosts(hosts);
    const auto towards = [&](double room, double dual, double added) {
        return (target - added) / dual - room;
    };
    for (std::size_t row = 0; row < rows; ++row)
        right[row] = towards(
            row_slacks_[row], duals_.rows[row],
            second_order ? second_order->row_slacks[row] * second_order->duals.rows[row] : 0);
    right[rows] = towards(sum_slack_ + sum_error_, duals_.sum,
                          second_order ? second_order->sum_slack * second_order->duals.sum : 0);
    for (std::size_t host = 0; host < hosts; ++host)
        right_hosts[host] = towards(
            host_slacks_[host] + host_errors_[host], duals_.hosts[host],
            second_order ? second_order->host_slacks[host] * second_order->duals.hosts[host] : 0);
    for (std::size_t flow = 0; flow < x_.size(); ++flow) {
        const auto& [host, weight, time] = program_.flows()[flow];
        const double scaled = residuals_[flow] * inverse_[flow];
        for (const auto& [row, use] : program_.of_flow(flow)) right[row] += use * scaled;
        right[rows] -= weight * gradients_[flow] * scaled;
        right_hosts[host] -= time * gradients_[flow] * scaled;
    }
    solve(right, right_hosts);

    double reached = right[rows];
    double column = column_[rows];
    double total = duals_.sum;
    for (std::size_t host = 0; host < hosts; ++host) {
        reached += right_hosts[host];
        column += host_column_[host];
        total += duals_.hosts[host];
    }
    result.excess = (reached - (1 - total)) / column;
    result.duals.rows.resize(rows);
    for (std::size_t row = 0; row < rows; ++row)
        result.duals.rows[row] = right[row] - result.excess * column_[row];
    result.duals.sum = right[rows] - result.excess * column_[rows];
    result.duals.hosts.resize(hosts);
    for (std::size_t host = 0; host < hosts; ++host)
        result.duals.hosts[host] = right_hosts[host] - result.excess * host_column_[host];

    result.x.resize(x_.size());
    result.row_slacks.assign(rows, 0);
    result.sum_slack = result.excess + sum_error_;
    result.host_slacks = host_errors_;
    for (double& slack : result.host_slacks) slack += result.excess;
    for (std::size_t flow = 0; flow < x_.size(); ++flow) {
        const auto& [host, weight, time] = program_.flows()[flow];
        double change = residuals_[flow];
        for (const auto& [row, use] : program_.of_flow(flow))
            change -= use * result.duals.rows[row];
        change += gradients_[flow] * (weight * result.duals.sum + time * result.duals.hosts[host]);
        result.x[flow] = change * inverse_[flow];
        for (const auto& [row, use] : program_.of_flow(flow))
            result.row_slacks[row] -= use * result.x[flow];
        result.sum_slack += weight * gradients_[flow] * result.x[flow];
        result.host_slacks[host] += time * gradients_[flow] * result.x[flow];
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
    for (std::size_t row = 0; row < program_.rows(); ++row) {
        keep(row_slacks_[row], direction.row_slacks[row]);
        keep(duals_.rows[row], direction.duals.rows[row]);
    }
    keep(sum_slack_, direction.sum_slack);
    keep(duals_.sum, direction.duals.sum);
    for (std::size_t host = 0; host < program_.hosts(); ++host) {
        keep(host_slacks_[host], direction.host_slacks[host]);
        keep(duals_.hosts[host], direction.duals.hosts[host]);
    }
    return step;
}

/// The mean of the products of slacks and duals after a step.
double InteriorPoint::product(const Direction& direction, double step) const {
    double sum =
        (sum_slack_ + step * direction.sum_slack) * (duals_.sum + step * direction.duals.sum);
    for (std::size_t row = 0; row < program_.rows(); ++row)
        sum += (row_slacks_[row] + step * direction.row_slacks[row]) *
               (duals_.rows[row] + step * direction.duals.rows[row]);
    for (std::size_t host = 0; host < program_.hosts(); ++host)
        sum += (host_slacks_[host] + step * direction.host_slacks[host]) *
               (duals_.hosts[host] + step * direction.duals.hosts[host]);
    return sum / static_cast<double>(1 + program_.rows() + program_.hosts());
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
    column_.assign(program_.rows() + 1, 0);
    column_.back() = 1;
    host_column_.assign(program_.hosts(), 1);
    solve(column_, host_column_);

    const Direction predictor = direction(0, nullptr);
    double now = sum_slack_ * duals_.sum;
    for (std::size_t row = 0; row < program_.rows(); ++row)
        now += row_slacks_[row] * duals_.rows[row];
    for (std::size_t host = 0; host < program_.hosts(); ++host)
        now += host_slacks_[host] * duals_.hosts[host];
    const double products = static_cast<double>(1 + program_.rows() + program_.hosts());
    now /= products;
    const double left = product(predictor, std::min(1.0, longest_step(predictor))) / now;
    // No faster than the flows come to agree with their prices, and no further than is asked for.
    const double shrunk = now * std::max(left * left * left, 0.3 * disagreement());
    const double least = 0.3 * wanted_gap_ / products;
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
    for (std::size_t row = 0; row < program_.rows(); ++row)
        duals_.rows[row] += step * corrected.duals.rows[row];
    duals_.sum += step * corrected.duals.sum;
    for (std::size_t host = 0; host < program_.hosts(); ++host)
        duals_.hosts[host] += step * corrected.duals.hosts[host];

    excess_ += step * corrected.excess;
    for (std::size_t row = 0; row < program_.rows(); ++row)
        row_slacks_[row] += step * corrected.row_slacks[row];
    sum_slack_ += step * corrected.sum_slack;
    for (std::size_t host = 0; host < program_.hosts(); ++host)
        host_slacks_[host] += step * corrected.host_slacks[host];
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

}  // namespace espalier::plan::ring
