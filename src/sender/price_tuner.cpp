#include "sender/price_tuner.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace espalier::sender {

namespace {

constexpr double first_softness = 0.3;
constexpr double last_softness = 0.02;
constexpr double cooling = 0.95;
constexpr double memory = 0.5;           // of the direction before
constexpr double aim = 0.05;             // below all nodes, in proportion, to aim at
constexpr std::size_t ahead = 10;        // ticks beyond what is excluded to look at next
constexpr std::size_t patience = 6;      // rounds without a gain before going back to the best
constexpr std::size_t worth_a_step = 3;  // ticks gained that show that steps are not too long

class Tuner {
public:
    Tuner(const TickProblem& problem, std::size_t longest, std::vector<double> start)
        : problem_(problem),
          longest_(longest),
          flow_(problem, longest),
          price_(std::move(start)),
          direction_(problem.classes(), 0) {
        for (std::size_t c = 0; c < problem.classes(); ++c) {
            needed_.push_back(static_cast<double>(problem.count[c]) - (problem.root == c ? 1 : 0));
            total_ += needed_.back();
        }
        settle();
        best_ = {price_, excluded()};
    }

    void round() {
        const std::size_t deadline = std::min(longest_, best_.deadline + ahead);
        const auto used = flow_.flow(price_, deadline, softness_, nullptr);
        softness_ = std::max(last_softness, softness_ * cooling);
        double length = 0;
        for (std::size_t c = 0; c < used.size(); ++c) {
            const double scale = std::max(1.0, needed_[c]);
            double excess = used[c] - needed_[c];
            if (price_[c] == 0) excess = std::max(excess, 0.0);
            direction_[c] = memory * direction_[c] + (1 - memory) * excess / scale;
            length += direction_[c] * direction_[c] * scale;
        }
        const double bound = paid() + flow_.start(deadline);
        const double step = pace_ * (bound - total_ * (1 - aim)) / std::max(length, 1e-9);
        for (std::size_t c = 0; c < used.size(); ++c)
            price_[c] += std::clamp(step * direction_[c], -1.0, 1.0);
        settle();
        judge(excluded());
    }

    [[nodiscard]] const TunedPrices& best() const { return best_; }

private:
    /// A faster node is worth no less, and none less than nothing.
    void settle() {
        const double unit = price_unit(problem_);
        double least = 0;
        for (std::size_t c = price_.size(); c-- > 0;)
            least = price_[c] = std::max(least, std::round(price_[c] * unit) / unit);
    }

    [[nodiscard]] double paid() const {
        double sum = 0;
        for (std::size_t c = 0; c < price_.size(); ++c) sum += price_[c] * needed_[c];
        return sum;
    }

    /// The last deadline by which not all can be reached at these prices.
    std::size_t excluded() {
        flow_.evaluate(price_, longest_);
        const double room = total_ - paid();
        std::size_t low = 0;
        std::size_t high = longest_;
        while (low < high) {
            const std::size_t middle = low + (high - low + 1) / 2;
            if (flow_.start(middle) < room)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    }

    void judge(std::size_t deadline) {
        if (deadline > best_.deadline) {
            if (deadline > best_.deadline + worth_a_step) idle_ = 0;
            best_ = {price_, deadline};
            pace_ = std::min(1.5, pace_ * 1.3);
        } else if (++idle_ > patience) {
            idle_ = 0;
            price_ = best_.price;
            flow_.evaluate(price_, longest_);
            pace_ = std::max(0.02, pace_ * 0.5);
            std::ranges::fill(direction_, 0.0);
        }
    }

    const TickProblem& problem_;
    std::size_t longest_;
    PriceFlow flow_;
    std::vector<double> needed_;
    double total_ = 0;
    std::vector<double> price_;
    std::vector<double> direction_;
    TunedPrices best_;
    double softness_ = first_softness;
    double pace_ = 1;
    std::size_t idle_ = 0;
};

}  // namespace

double price_unit(const TickProblem& problem) {
    const int bits = 48 - static_cast<int>(std::bit_width(problem.nodes()));
    return std::exp2(std::clamp(bits, 0, 20));
}

TunedPrices tune_prices(const TickProblem& problem, std::size_t longest, std::vector<double> start,
                        std::size_t rounds, const Meter& meter) {
    Tuner tuner(problem, longest, std::move(start));
    for (std::size_t i = 0; i < rounds && !meter.over(); ++i) tuner.round();
    return tuner.best();
}

}  // namespace espalier::sender
