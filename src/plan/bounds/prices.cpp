#include "plan/bounds/prices.hpp"

#include "core/infinity.hpp"
#include "core/simplex.hpp"

#include <algorithm>

namespace espalier::plan::bounds {

std::vector<double> least_prices(std::span<const std::vector<Use>> uses,
                                 std::span<const double> supply) {
    // In units of which the least demanding thing takes 1, so that the simplex sees no tiny number.
    double unit = infinity;
    for (const auto& use : uses) {
        if (use.empty()) return {};
        unit = std::min(unit, std::ranges::max(use, {}, &Use::amount).amount);
    }
    Simplex packing({supply.begin(), supply.end()});
    for (const auto& use : uses) {
        std::vector<Simplex::Entry> entries;
        for (const Use& each : use) entries.push_back({each.resource, each.amount / unit});
        packing.add_column(entries, 1);
    }
    packing.solve();
    std::vector<double> prices;
    for (const double price : packing.prices()) prices.push_back(std::max(0.0, price));
    // Rounding, or too few steps, must not leave anything too cheap.
    double cheapest = infinity;
    for (const auto& use : uses) {
        double cost = 0;
        for (const Use& each : use) cost += prices[each.resource] * each.amount;
        cheapest = std::min(cheapest, cost);
    }
    if (!(cheapest > 0)) return {};
    for (double& price : prices) price /= cheapest;
    return prices;
}

}  // namespace espalier::plan::bounds
