#include "plan/bounds/prices.hpp"

#include "core/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace espalier::plan::bounds {

namespace {

constexpr double tolerance = 1e-11;

/// Makes as much as the supply allows; starts with nothing made.
class Packing {
public:
    Packing(std::span<const std::vector<Use>> uses, std::span<const double> supply)
        : uses_(uses),
          rows_(supply.size()),
          inverse_(rows_, rows_, 0),
          left_(supply.begin(), supply.end()),
          basic_(rows_, slack),
          prices_(rows_, 0) {
        for (std::size_t r = 0; r < rows_; ++r) inverse_(r, r) = 1;
    }

    std::vector<double> run() {
        const std::size_t most_steps = 50 + 10 * (rows_ + uses_.size());
        for (std::size_t step = 0; step < most_steps; ++step)
            if (!improve(step > most_steps / 2)) break;
        for (double& price : prices_) price = std::max(0.0, price);
        // Rounding, or too few steps, must not leave anything too cheap.
        double cheapest = 1;
        for (const auto& use : uses_) cheapest = std::min(cheapest, cost(use));
        if (!(cheapest > 0)) return {};
        for (double& price : prices_) price /= cheapest;
        return prices_;
    }

private:
    static constexpr std::size_t slack = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] double cost(const std::vector<Use>& uses) const {
        double sum = 0;
        for (const Use& use : uses) sum += prices_[use.resource] * use.amount;
        return sum;
    }

    /// `first`: takes the first that helps in place of the best, so that it can't go round.
    bool improve(bool first) {
        std::size_t chosen = slack;
        std::vector<Use> column;
        double best = tolerance;
        for (std::size_t u = 0; u < uses_.size() && !(first && chosen != slack); ++u) {
            const double gain = 1 - cost(uses_[u]);
            if (gain <= best) continue;
            best = gain;
            chosen = u;
        }
        if (chosen != slack) column = uses_[chosen];
        // What a resource is left over of may be worth more than what it is used for.
        for (std::size_t r = 0; r < rows_ && column.empty(); ++r)
            if (prices_[r] < -tolerance) column = {{r, 1}};
        return !column.empty() && enter(chosen, column);
    }

    bool enter(std::size_t chosen, const std::vector<Use>& column) {
        std::vector<double> change(rows_, 0);
        for (std::size_t r = 0; r < rows_; ++r)
            for (const Use& use : column) change[r] += inverse_(r, use.resource) * use.amount;
        std::size_t leaving = rows_;
        double least = std::numeric_limits<double>::infinity();
        double greatest = 0;
        for (const double amount : change) greatest = std::max(greatest, std::abs(amount));
        for (std::size_t r = 0; r < rows_; ++r) {
            if (!(change[r] > greatest * tolerance)) continue;
            const double ratio = left_[r] / change[r];
            if (ratio < least) {
                least = ratio;
                leaving = r;
            }
        }
        if (leaving == rows_) return false;
        const double pivot = change[leaving];
        for (std::size_t c = 0; c < rows_; ++c) inverse_(leaving, c) /= pivot;
        left_[leaving] /= pivot;
        for (std::size_t r = 0; r < rows_; ++r) {
            if (r == leaving || change[r] == 0) continue;
            for (std::size_t c = 0; c < rows_; ++c)
                inverse_(r, c) -= change[r] * inverse_(leaving, c);
            left_[r] = std::max(0.0, left_[r] - change[r] * left_[leaving]);
        }
        basic_[leaving] = chosen;
        std::ranges::fill(prices_, 0.0);
        for (std::size_t r = 0; r < rows_; ++r)
            if (basic_[r] != slack)
                for (std::size_t c = 0; c < rows_; ++c) prices_[c] += inverse_(r, c);
        return true;
    }

    std::span<const std::vector<Use>> uses_;
    std::size_t rows_;
    Matrix<double> inverse_;
    std::vector<double> left_;
    std::vector<std::size_t> basic_;
    std::vector<double> prices_;
};

}  // namespace

std::vector<double> least_prices(std::span<const std::vector<Use>> uses,
                                 std::span<const double> supply) {
    return Packing(uses, supply).run();
}

}  // namespace espalier::plan::bounds
