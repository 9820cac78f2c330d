#include "measure/method/candidates.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace espalier::measure {

namespace {

using Clusters = std::vector<std::size_t>;
using Place = Bottleneck::Place;

Clusters others(const Surroundings& surroundings, const Clusters& clusters) {
    Clusters rest;
    for (std::size_t c = 0; c < surroundings.clusters(); ++c)
        if (!std::binary_search(clusters.begin(), clusters.end(), c)) rest.push_back(c);
    return rest;
}

void add_directions(const Surroundings& surroundings, const Clusters& from, const Clusters& to,
                    std::vector<Bottleneck>& found) {
    if (from.empty() || to.empty()) return;
    const bool all = from.size() + to.size() == surroundings.clusters();
    found.push_back({from, to, false, all ? Place::out : Place::between});
    found.push_back({to, from, false, all ? Place::in : Place::between});
}

void add_directions_of_groups(const Surroundings& surroundings, std::vector<Bottleneck>& found) {
    for (const Clusters& group : surroundings.groups)
        add_directions(surroundings, group, others(surroundings, group), found);
    for (const Clusters& site : surroundings.sites) {
        add_directions(surroundings, site, others(surroundings, site), found);
        if (site.size() == 1) continue;
        for (const std::size_t c : site) {
            add_directions(surroundings, {c}, others(surroundings, {c}), found);
            add_directions(surroundings, {c}, others(surroundings, site), found);
            Clusters neighbours = site;
            std::erase(neighbours, c);
            add_directions(surroundings, {c}, neighbours, found);
        }
    }
}

void add_directions_between(const Surroundings& surroundings, const std::vector<ClusterPair>& pairs,
                            std::vector<Bottleneck>& found) {
    const std::vector<std::size_t> site_of = surroundings.site_of_clusters();
    std::set<ClusterPair> sites;
    std::set<ClusterPair> clusters;
    for (const auto& [from, to] : pairs) {
        clusters.insert(std::minmax(from, to));
        if (site_of[from] != site_of[to]) sites.insert(std::minmax(site_of[from], site_of[to]));
    }
    for (const auto& [a, b] : sites)
        add_directions(surroundings, surroundings.sites[a], surroundings.sites[b], found);
    for (const auto& [i, j] : clusters) {
        add_directions(surroundings, {i}, {j}, found);
        const Clusters& site_i = surroundings.sites[site_of[i]];
        const Clusters& site_j = surroundings.sites[site_of[j]];
        if (site_j.size() > 1) add_directions(surroundings, {i}, site_j, found);
        if (site_i.size() > 1) add_directions(surroundings, {j}, site_i, found);
    }
}

bool overlap(const Clusters& a, const Clusters& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](std::size_t c) { return std::binary_search(b.begin(), b.end(), c); });
}

}  // namespace

std::vector<Bottleneck> plain_candidates(const Surroundings& surroundings,
                                         const std::vector<ClusterPair>& unexplained) {
    std::vector<Bottleneck> found;
    add_directions_of_groups(surroundings, found);
    add_directions_between(surroundings, unexplained, found);
    if (surroundings.presumes() && surroundings.sites.size() > 2) {
        Clusters all;
        for (std::size_t c = 0; c < surroundings.clusters(); ++c) all.push_back(c);
        found.push_back({all, all, false, Place::middle, 0, 0, 0, surroundings.sites});
    }
    // The same pairs by another name, and what overlaps (a cluster and its own site).
    std::vector<Bottleneck> distinct;
    std::set<std::vector<ClusterPair>> seen;
    for (Bottleneck& candidate : found)
        if ((candidate.place == Place::middle || !overlap(candidate.from, candidate.to)) &&
            seen.insert(candidate.pairs()).second)
            distinct.push_back(std::move(candidate));
    return distinct;
}

std::vector<Bottleneck> both_ways(std::vector<Bottleneck> candidates) {
    std::vector<Bottleneck> found;
    std::set<std::vector<ClusterPair>> seen;
    for (Bottleneck& candidate : candidates) {
        if (candidate.place == Place::middle) continue;
        candidate.both = true;
        if (seen.insert(candidate.pairs()).second) found.push_back(std::move(candidate));
    }
    return found;
}

std::vector<Bottleneck> joined_candidates(const Surroundings& surroundings,
                                          const std::vector<Bottleneck>& known) {
    std::set<Clusters> groups(surroundings.sites.begin(), surroundings.sites.end());
    for (const Bottleneck& bottleneck : known) {
        groups.insert(bottleneck.from);
        groups.insert(bottleneck.to);
    }
    std::set<Clusters> unions;
    for (const Clusters& a : groups)
        for (const Clusters& b : groups) {
            Clusters both;
            std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
            if (!groups.contains(both)) unions.insert(std::move(both));
        }
    std::vector<Bottleneck> found;
    for (const Clusters& group : unions)
        add_directions(surroundings, group, others(surroundings, group), found);
    return found;
}

}  // namespace espalier::measure
