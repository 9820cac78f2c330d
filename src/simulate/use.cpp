#include "simulate/use.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace espalier::simulate {

namespace {

/// The uses in ascending order of what `member` is.
std::vector<std::size_t> in_order_of(double Use::*member, const std::vector<Use>& uses) {
    std::vector<std::size_t> order(uses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t use) { return uses[use].*member; });
    return order;
}

}  // namespace

bool clearly_less(double a, double b) {
    return a < b - file_rounding * std::max(std::abs(a), std::abs(b)) - 1e-15;
}

std::optional<std::size_t> find_crowd(const std::vector<Use>& uses, double limit) {
    using Held = std::pair<double, double>;  // until when, and how much
    std::priority_queue<Held, std::vector<Held>, std::greater<>> held;
    double sum = 0;
    for (const std::size_t index : in_order_of(&Use::start, uses)) {
        const Use& use = uses[index];
        for (; !held.empty() && !clearly_less(use.start, held.top().first); held.pop())
            sum -= held.top().second;
        if (!clearly_less(use.start, use.end)) continue;
        held.emplace(use.end, use.amount);
        sum += use.amount;
        if (sum > limit) return index;
    }
    return std::nullopt;
}

std::optional<std::size_t> find_overload(const std::vector<Use>& uses, double limit) {
    const auto by_end = in_order_of(&Use::end, uses);
    std::vector<double> starts;
    for (const Use& use : uses) starts.push_back(use.start);
    std::sort(starts.begin(), starts.end());
    starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
    for (const double from : starts) {
        double volume = 0;
        for (const std::size_t index : by_end) {
            const Use& use = uses[index];
            if (use.start < from) continue;
            volume += use.amount;
            if (clearly_less(use.end + use.rounding, from + volume / limit)) return index;
        }
    }
    return std::nullopt;
}

}  // namespace espalier::simulate
