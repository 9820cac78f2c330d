#include "measure/method/filling.hpp"

#include "core/infinity.hpp"

#include <algorithm>

namespace espalier::measure {

double filling(const Surroundings& surroundings, const std::vector<Bottleneck>& known,
               const std::vector<ClusterPair>& pairs) {
    struct Limit {
        double left = 0;
        std::vector<std::size_t> pairs;
    };
    const std::size_t clusters = surroundings.clusters();
    const auto hosts = [&](std::size_t cluster) {
        return static_cast<double>(surroundings.hosts[cluster].size());
    };
    std::vector<Limit> limits(2 * clusters);
    for (std::size_t c = 0; c < clusters; ++c) {
        const double card = surroundings.alone(c, c);
        limits[c].left = limits[clusters + c].left = card > 0 ? hosts(c) * card : infinity;
    }
    for (const Bottleneck& bottleneck : known) limits.push_back({bottleneck.capacity, {}});
    std::vector<double> weights;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        const auto& [from, to] = pairs[p];
        weights.push_back(hosts(from) * hosts(to));
        limits[from].pairs.push_back(p);
        limits[clusters + to].pairs.push_back(p);
        for (std::size_t k = 0; k < known.size(); ++k)
            if (known[k].covers(from, to)) limits[2 * clusters + k].pairs.push_back(p);
    }
    std::vector<double> rates(pairs.size(), 0);
    std::vector<bool> growing(pairs.size(), true);
    double total = 0;
    for (;;) {
        double level = infinity;
        const Limit* tightest = nullptr;
        for (const Limit& limit : limits) {
            double weight = 0;
            for (const std::size_t p : limit.pairs)
                if (growing[p]) weight += weights[p];
            if (weight == 0 || limit.left / weight >= level) continue;
            level = limit.left / weight;
            tightest = &limit;
        }
        if (tightest == nullptr) break;
        std::vector<bool> settled(pairs.size(), false);
        for (const std::size_t p : tightest->pairs) {
            if (!growing[p]) continue;
            rates[p] = level * weights[p];
            total += rates[p];
            growing[p] = false;
            settled[p] = true;
        }
        for (Limit& limit : limits)
            for (const std::size_t p : limit.pairs)
                if (settled[p]) limit.left = std::max(limit.left - rates[p], 0.0);
    }
    return std::ranges::find(growing, true) == growing.end() ? total : infinity;
}

}  // namespace espalier::measure
