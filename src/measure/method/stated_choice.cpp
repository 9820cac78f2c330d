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

bool StatedChoice::has_company(std::size_t without) const {
    return std::ranges::any_of(
        chosen_, [&](std::size_t k) { return k != without && candidates_[k].in_company; });
}

double StatedChoice::cost() const {
    double sum = has_company() ? cost_of_company_ : 0;
    for (const double item : costs()) sum += item;
    for (const std::size_t k : chosen_) sum += candidates_[k].cost;
    return sum;
}

std::optional<std::size_t> StatedChoice::best(bool freely) const {
    const std::vector<double> costs = this->costs();
    const double of_first = freely || has_company() ? 0 : cost_of_company_;
    std::optional<std::size_t> found;
    double most = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
        const bool in_company = candidates_[k].in_company;
        if (barred_.contains(k) || std::ranges::find(chosen_, k) != chosen_.end()) continue;
        if (freely && !in_company) continue;
        const double gained = gain(k, costs) - (in_company ? of_first : 0);
        if (gained <= most) continue;
        most = gained;
        found = k;
    }
    return found;
}

bool StatedChoice::state_best() {
    const std::optional<std::size_t> found = best(false);
    if (found) chosen_.push_back(*found);
    return found.has_value();
}

/// Several of those in company, where no single one is worth it.
bool StatedChoice::state_company() {
    if (has_company()) return false;
    const std::vector<std::size_t> before = chosen_;
    const double cost = this->cost();
    while (const std::optional<std::size_t> found = best(true)) chosen_.push_back(*found);
    while (drop()) continue;
    if (this->cost() < cost - least_gain) return true;
    chosen_ = before;
    return false;
}

/// Gives up what the others explain by now.
bool StatedChoice::drop() {
    const auto unneeded = std::ranges::find_if(chosen_, [&](std::size_t k) {
        const bool is_last = candidates_[k].in_company && !has_company(k);
        return gain(k, costs(k)) <= (is_last ? cost_of_company_ : 0);
    });
    if (unneeded == chosen_.end()) return false;
    chosen_.erase(unneeded);
    return true;
}

bool StatedChoice::improves_without(const std::set<std::size_t>& some) {
    const std::vector<std::size_t> before = chosen_;
    const double cost = this->cost();
    std::erase_if(chosen_, [&](std::size_t k) { return some.contains(k); });
    barred_ = some;
    while (state_best() || drop()) continue;
    barred_.clear();
    if (this->cost() < cost - least_gain) return true;
    chosen_ = before;
    return false;
}

/// Does without one of the chosen, or all in company, as well as it can, where that is better.
bool StatedChoice::exchange() {
    const std::vector<std::size_t> all = chosen_;
    if (std::ranges::any_of(all, [&](std::size_t k) { return improves_without({k}); })) return true;
    if (!has_company()) return false;
    std::set<std::size_t> company;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
        if (candidates_[k].in_company) company.insert(k);
    return improves_without(company);
}

/// Each step costs less than the one before it, so that it ends.
void StatedChoice::search() {
    while (state_best() || drop() || state_company() || exchange()) continue;
}

}  // namespace espalier::measure
