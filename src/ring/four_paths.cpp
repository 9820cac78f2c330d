#include "ring/four_paths.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::ring {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double cost(const FourRates& weights, const FourRates& rates) {
    double sum = 0;
    for (std::size_t path = 0; path < 4; ++path) sum += weights[path] / rates[path];
    return sum;
}

/// With one condition only, bandwidths are in proportion to sqrt(weight / times), but for those
/// that reach their width before.
FourRates fill_one(const FourRates& weights, const FourRates& widths, const FourRates& row,
                   double capacity) {
    FourRates rates = widths;
    FourRates wish{};
    std::array<bool, 4> open{};
    for (std::size_t path = 0; path < 4; ++path) {
        open[path] = row[path] > 0;
        if (open[path]) wish[path] = std::sqrt(weights[path] / row[path]);
    }
    for (bool changed = true; changed;) {
        double room = capacity;
        double wished = 0;
        for (std::size_t path = 0; path < 4; ++path) {
            if (row[path] == 0) continue;
            if (open[path])
                wished += row[path] * wish[path];
            else
                room -= row[path] * widths[path];
        }
        changed = false;
        for (std::size_t path = 0; path < 4; ++path) {
            if (!open[path]) continue;
            rates[path] = wish[path] * room / wished;
            if (rates[path] >= widths[path]) {
                rates[path] = widths[path];
                open[path] = false;
                changed = true;
            }
        }
    }
    return rates;
}

using Square = std::array<FourRates, 4>;

/// Solves a system whose matrix is symmetric and positive definite, by Cholesky's method.
FourRates solve(Square matrix, FourRates right) {
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i][j];
            for (std::size_t k = 0; k < j; ++k) sum -= matrix[i][k] * matrix[j][k];
            matrix[i][j] = i == j ? std::sqrt(sum) : sum / matrix[j][j];
        }
    }
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i][k] * right[k];
        right[i] /= matrix[i][i];
    }
    for (std::size_t i = 4; i-- > 0;) {
        for (std::size_t k = i + 1; k < 4; ++k) right[i] -= matrix[k][i] * right[k];
        right[i] /= matrix[i][i];
    }
    return right;
}

/// A primal-dual interior point method; every point on its way is feasible.
class InteriorPoint {
public:
    InteriorPoint(const FourRates& weights, std::span<const FourRates> rows,
                  std::span<const double> capacities, const FourRates& start)
        : weights_(weights),
          rows_(rows),
          capacities_(capacities),
          rates_(start),
          slack_(rows.size()),
          prices_(rows.size()),
          price_step_(rows.size()) {
        measure_slack();
        const double aim = cost(weights_, rates_) / static_cast<double>(rows_.size());
        for (std::size_t c = 0; c < rows_.size(); ++c) prices_[c] = aim / slack_[c];
    }

    FourRates run() {
        constexpr int most_steps = 60;
        constexpr double precision = 1e-14;
        for (int step = 0; step < most_steps; ++step) {
            double gap = 0;
            for (std::size_t c = 0; c < rows_.size(); ++c) gap += prices_[c] * slack_[c];
            if (gap <= precision * cost(weights_, rates_) && is_balanced()) break;
            advance(0.1 * gap / static_cast<double>(rows_.size()));
        }
        return rates_;
    }

private:
    void measure_slack() {
        for (std::size_t c = 0; c < rows_.size(); ++c) {
            slack_[c] = capacities_[c];
            for (std::size_t path = 0; path < 4; ++path) slack_[c] -= rows_[c][path] * rates_[path];
        }
    }

    /// Whether prices match what more bandwidth would bring.
    [[nodiscard]] bool is_balanced() const {
        constexpr double tolerance = 1e-7;
        for (std::size_t path = 0; path < 4; ++path) {
            const double gain = weights_[path] / (rates_[path] * rates_[path]);
            double price = 0;
            for (std::size_t c = 0; c < rows_.size(); ++c) price += prices_[c] * rows_[c][path];
            if (std::abs(gain - price) > tolerance * gain) return false;
        }
        return true;
    }

    /// One Newton step towards the point at which every price * slack is `aim`.
    void advance(double aim) {
        Square matrix{};
        FourRates right{};
        for (std::size_t path = 0; path < 4; ++path) {
            right[path] = weights_[path] / (rates_[path] * rates_[path]);
            matrix[path][path] = 2 * right[path] / rates_[path];
        }
        for (std::size_t c = 0; c < rows_.size(); ++c) {
            for (std::size_t i = 0; i < 4; ++i) {
                if (rows_[c][i] == 0) continue;
                right[i] -= aim / slack_[c] * rows_[c][i];
                for (std::size_t j = 0; j < 4; ++j)
                    matrix[i][j] += prices_[c] / slack_[c] * rows_[c][i] * rows_[c][j];
            }
        }
        const FourRates step = solve(matrix, right);

        // How far bandwidths and prices can go before something that has to be > 0 is not.
        constexpr double margin = 0.995;
        double length = 1;
        double price_length = 1;
        for (std::size_t c = 0; c < rows_.size(); ++c) {
            double taken = 0;
            for (std::size_t path = 0; path < 4; ++path) taken += rows_[c][path] * step[path];
            if (taken > 0) length = std::min(length, margin * slack_[c] / taken);
            price_step_[c] = (aim + prices_[c] * taken) / slack_[c] - prices_[c];
            if (price_step_[c] < 0)
                price_length = std::min(price_length, -margin * prices_[c] / price_step_[c]);
        }
        for (std::size_t path = 0; path < 4; ++path)
            if (step[path] < 0) length = std::min(length, -0.9 * rates_[path] / step[path]);
        for (std::size_t path = 0; path < 4; ++path) rates_[path] += length * step[path];
        for (std::size_t c = 0; c < rows_.size(); ++c) prices_[c] += price_length * price_step_[c];
        measure_slack();
    }

    FourRates weights_;
    std::span<const FourRates> rows_;
    std::span<const double> capacities_;
    FourRates rates_;
    std::vector<double> slack_;
    std::vector<double> prices_;
    std::vector<double> price_step_;
};

}  // namespace

FourRates least_weighted_inverses(const FourRates& weights, const FourRates& widths,
                                  std::span<const FourRates> rows,
                                  std::span<const double> capacities) {
    if (rows.empty()) return widths;
    if (rows.size() == 1) return fill_one(weights, widths, rows[0], capacities[0]);

    // In units of the widest path and the greatest weight; paths in no row have their width.
    std::array<bool, 4> shares{};
    double widest = 0;
    for (std::size_t path = 0; path < 4; ++path) {
        for (const FourRates& row : rows) shares[path] = shares[path] || row[path] > 0;
        if (shares[path]) widest = std::max(widest, widths[path]);
    }
    const double heaviest = *std::ranges::max_element(weights);
    std::vector<FourRates> all_rows(rows.begin(), rows.end());
    std::vector<double> all_capacities;
    for (const double capacity : capacities) all_capacities.push_back(capacity / widest);
    FourRates scaled{};
    FourRates equal{};
    for (std::size_t path = 0; path < 4; ++path) {
        scaled[path] = weights[path] / heaviest;
        equal[path] = shares[path] ? widths[path] / widest : 1;
        all_rows.emplace_back()[path] = 1;
        all_capacities.push_back(equal[path]);
    }
    for (std::size_t c = 0; c < rows.size(); ++c) {
        double crossings = 0;
        for (std::size_t path = 0; path < 4; ++path) crossings += rows[c][path];
        for (std::size_t path = 0; path < 4; ++path)
            if (rows[c][path] > 0)
                equal[path] = std::min(equal[path], all_capacities[c] / crossings);
    }
    FourRates start = equal;
    for (double& rate : start) rate *= 0.5;
    FourRates rates = InteriorPoint(scaled, all_rows, all_capacities, start).run();
    if (!(cost(scaled, rates) <= cost(scaled, equal))) rates = equal;
    for (std::size_t path = 0; path < 4; ++path)
        rates[path] = shares[path] ? rates[path] * widest : widths[path];
    return rates;
}

void FourPaths::require(std::uint32_t key, double capacity) {
    for (Condition& condition : conditions_) {
        if (condition.key != key) continue;
        condition.capacity = std::min(condition.capacity, capacity);
        return;
    }
    conditions_.push_back({key, capacity});
}

void FourPaths::collect(std::span<const double> left, const std::array<const Path*, 4>& paths) {
    conditions_.clear();
    crossed_.clear();
    for (std::size_t path = 0; path < 4; ++path) {
        for (const LinkId link : *paths[path]) {
            if (!platform_.link(link).shared) {
                require(1U << 8 * path, left[link]);
                continue;
            }
            if (crossed_by_[link] == 0) crossed_.push_back(link);
            crossed_by_[link] += 1U << 8 * path;
        }
    }
    for (const LinkId link : crossed_) {
        require(crossed_by_[link], left[link]);
        crossed_by_[link] = 0;
    }
}

bool FourPaths::is_implied(std::size_t condition, const FourRates& widths) const {
    const Condition& one = conditions_[condition];
    double sum = 0;
    for (std::size_t path = 0; path < 4; ++path)
        if (one.times(path) > 0) sum += one.times(path) * widths[path];
    if (sum <= one.capacity) return true;
    // By one that counts each path at least as often and allows less.
    for (std::size_t other = 0; other < conditions_.size(); ++other) {
        if (other == condition || conditions_[other].capacity > one.capacity) continue;
        bool covers = true;
        for (std::size_t path = 0; path < 4; ++path)
            covers = covers && conditions_[other].times(path) >= one.times(path);
        if (covers) return true;
    }
    return false;
}

void FourPaths::keep_essential(const FourRates& widths) {
    for (std::size_t condition = conditions_.size(); condition-- > 0;) {
        if (!is_implied(condition, widths)) continue;
        conditions_[condition] = conditions_.back();
        conditions_.pop_back();
    }
}

/// Gives what rounding has left over.
void FourPaths::fill_up(FourRates& rates, const FourRates& widths) const {
    for (std::size_t path = 0; path < 4; ++path) {
        if (widths[path] == infinity) continue;
        double room = widths[path] - rates[path];
        for (const Condition& condition : conditions_) {
            if (condition.times(path) == 0) continue;
            double slack = condition.capacity;
            for (std::size_t other = 0; other < 4; ++other)
                if (condition.times(other) > 0) slack -= condition.times(other) * rates[other];
            room = std::min(room, slack / condition.times(path));
        }
        rates[path] += room;  // negative where rounding has gone too far
    }
}

FourRates FourPaths::divide(std::span<const double> left, const std::array<const Path*, 4>& paths,
                            const FourRates& weights) {
    collect(left, paths);
    FourRates widths;
    widths.fill(infinity);
    for (const Condition& condition : conditions_)
        for (std::size_t path = 0; path < 4; ++path)
            if (condition.times(path) > 0)
                widths[path] = std::min(widths[path], condition.capacity / condition.times(path));
    if (*std::ranges::min_element(widths) <= 0) return {};

    keep_essential(widths);
    rows_.clear();
    capacities_.clear();
    for (const Condition& condition : conditions_) {
        FourRates& row = rows_.emplace_back();
        for (std::size_t path = 0; path < 4; ++path) row[path] = condition.times(path);
        capacities_.push_back(condition.capacity);
    }
    FourRates rates = least_weighted_inverses(weights, widths, rows_, capacities_);
    fill_up(rates, widths);
    return rates;
}

}  // namespace espalier::ring
