#include "measure/method/bottlenecks.hpp"

#include <algorithm>

namespace espalier::measure {

std::vector<std::size_t> Surroundings::site_of_clusters() const {
    std::vector<std::size_t> site_of(clusters());
    for (std::size_t s = 0; s < sites.size(); ++s)
        for (const std::size_t c : sites[s]) site_of[c] = s;
    return site_of;
}

bool Bottleneck::covers(std::size_t from_cluster, std::size_t to_cluster) const {
    const auto holds = [](const auto& clusters, std::size_t cluster) {
        return std::ranges::binary_search(clusters, cluster);
    };
    if (place == Place::middle) {
        const auto group = [&](std::size_t cluster) {
            return std::ranges::find_if(
                groups, [&](const auto& clusters) { return holds(clusters, cluster); });
        };
        const auto sender = group(from_cluster);
        const auto receiver = group(to_cluster);
        return sender != receiver && sender != groups.end() && receiver != groups.end();
    }
    return (holds(from, from_cluster) && holds(to, to_cluster)) ||
           (both && holds(to, from_cluster) && holds(from, to_cluster));
}

bool Bottleneck::covers(const Bottleneck& other) const {
    return std::ranges::all_of(
        other.pairs(), [&](const ClusterPair& pair) { return covers(pair.first, pair.second); });
}

std::vector<ClusterPair> Bottleneck::pairs() const {
    std::vector<ClusterPair> all;
    for (const std::size_t i : from)
        for (const std::size_t j : to) {
            if (!covers(i, j)) continue;
            all.emplace_back(i, j);
            if (both) all.emplace_back(j, i);
        }
    std::sort(all.begin(), all.end());
    return all;
}

}  // namespace espalier::measure
