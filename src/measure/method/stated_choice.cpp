#include "measure/method/stated_choice.hpp"

#include <algorithm>

namespace espalier::measure {

namespace {

constexpr double least_gain = 1e-6;

}  // namespace

std::vector<double> StatedChoice::costs(std::size_t without) const {
    std::vector<double> least = items_;
    for (const std::size_t k : chosen_) {
        if (k == without) continue;
        for (const auto& [item, cost] : candidates_[k].items)
            least[item] = std::min(least[item], cost);
    }
    return least;
}

double StatedChoice::gain(std::size_t candidate, const std::vector<double>& costs) const {
    double sum = -candidates_[candidate].cost;
    for (const auto& [item, cost] : candidates_[candidate].items)
        sum += std::max(costs[item] - cost, 0.0);
    return sum;
}

double StatedChoice::cost() const {
    double sum = 0;
    for (const double item : costs()) sum += item;
    for (const std::size_t k : chosen_) sum += candidates_[k].cost;
    return sum;
}

/// States the candidate by which most is gained, if any is.
bool StatedChoice::state_best() {
    const std::vector<double> costs = this->costs();
    std::size_t best = nobody;
    double most = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (k == barred_ || std::ranges::find(chosen_, k) != chosen_.end()) continue;
        const double gained = gain(k, costs);
        if (gained <= most) continue;
        most = gained;
        best = k;
    }
    if (best != nobody) chosen_.push_back(best);
    return best != nobody;
}

/// Gives up what the others explain by now.
bool StatedChoice::drop() {
    const auto unneeded =
        std::ranges::find_if(chosen_, [&](std::size_t k) { return gain(k, costs(k)) <= 0; });
    if (unneeded == chosen_.end()) return false;
    chosen_.erase(unneeded);
    return true;
}

bool StatedChoice::improves_without(std::size_t candidate) {
    const std::vector<std::size_t> before = chosen_;
    const double cost = this->cost();
    std::erase(chosen_, candidate);
    barred_ = candidate;
    while (state_best() || drop()) continue;
    barred_ = nobody;
    if (this->cost() < cost - least_gain) return true;
    chosen_ = before;
    return false;
}

/// Does without one of the chosen, as well as it can, where that is better.
bool StatedChoice::exchange() {
    const std::vector<std::size_t> all = chosen_;
    return std::ranges::any_of(all, [&](std::size_t k) { return improves_without(k); });
}

/// Each step costs less than the one before it, so that it ends.
void StatedChoice::search() {
    while (state_best() || drop() || exchange()) continue;
}

}  // namespace espalier::measure
