#include "plan/composed/clusters.hpp"

#include <map>

namespace espalier::plan::composed {

std::vector<const Site*> members_at(const Site& site, std::size_t depth) {
    std::vector<const Site*> found{&site};
    for (std::size_t level = 0; level < depth; ++level) {
        std::vector<const Site*> below;
        for (const Site* at : found) {
            if (at->members.empty()) below.push_back(at);
            for (const Site& member : at->members) below.push_back(&member);
        }
        found = std::move(below);
    }
    return found;
}

std::vector<std::vector<std::size_t>> innermost_clusters(const Problem& problem) {
    std::map<std::size_t, std::size_t> seen;
    std::vector<std::vector<std::size_t>> clusters;
    for (const std::size_t rank : problem.site->ranks()) {
        const std::size_t leaf = problem.job->places[rank].leaf;
        const std::size_t cluster = seen.try_emplace(leaf, seen.size()).first->second;
        if (cluster == clusters.size()) clusters.emplace_back();
        clusters[cluster].push_back(rank);
    }
    return clusters;
}

std::vector<ClusterRanks> clusters_at(const Problem& problem, std::size_t depth,
                                      std::size_t radix) {
    const auto blocks = block_sizes(problem);
    std::vector<ClusterRanks> clusters;
    std::size_t chunk = 0;
    for (const Site* member : members_at(*problem.site, depth)) {
        const std::size_t coordinator = coordinator_of(problem, *member, blocks.size());
        Tree tree(blocks.size(), coordinator);
        add_levels(problem, *member, radix, tree);
        (void)order_by_tails(tree, *problem.fabric, blocks);
        ClusterRanks cluster{tree, walk_over(tree), chunk, 0};
        chunk = cluster.end();
        for (const std::size_t rank : cluster.walk.order) cluster.bytes += blocks[rank];
        clusters.push_back(std::move(cluster));
    }
    return clusters;
}

}  // namespace espalier::plan::composed
