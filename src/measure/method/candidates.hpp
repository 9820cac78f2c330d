#pragma once

#include "measure/method/bottlenecks.hpp"

#include <vector>

namespace espalier::measure {

// What may be a bottleneck, before anybody looks at what streams got: a capacity whose `from`,
// `to`, `both` and `place` say which ordered pairs of clusters would share it, and nothing else is
// known of it. A group of clusters (a cluster, a site, the sites of one place) has a path out to
// all others and a path in; between two groups lies one path in each direction. Two directions may
// be one capacity, and groups may be larger than the sites that latencies tell.

/// The capacities out of and in to each site, group of sites and cluster, on a noisy clock a middle
/// of all sites, and those between the sites and
/// between the clusters of the pairs in `unexplained`. No two cover the same pairs.
[[nodiscard]] std::vector<Bottleneck> plain_candidates(const Surroundings& surroundings,
                                                       const std::vector<ClusterPair>& unexplained);

/// The same candidates, each with both directions in one; no two cover the same pairs.
[[nodiscard]] std::vector<Bottleneck> both_ways(std::vector<Bottleneck> candidates);

/// The capacities out of and in to any two groups together that latencies did not put into one
/// site. A group is a site, or one side of a known bottleneck.
[[nodiscard]] std::vector<Bottleneck> joined_candidates(const Surroundings& surroundings,
                                                        const std::vector<Bottleneck>& known);

}  // namespace espalier::measure
