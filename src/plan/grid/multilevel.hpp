#pragma once

#include "plan/grid/problem.hpp"

#include <vector>

namespace espalier::plan::grid {

/// A tree on several levels, found from the distances between clusters (steffenel-2006, section 4.4
/// and Table 2; Karonis): flat between sites, binomial between what is inside a site, level by
/// level. A site's own coordinator is the root, or its cluster of least index; it serves the outer
/// levels before the inner ones.
[[nodiscard]] Order multilevel(const Problem& problem);

/// The distances that separate levels, greatest first: clusters that a chain of steps of at most
/// that distance connects are one group. They are where, among the steps that it takes to connect
/// all clusters (those of the minimum spanning tree), the next one is at least five times as long.
/// None where there is no such jump: then every cluster is a site.
[[nodiscard]] std::vector<double> level_distances(const Problem& problem);

}  // namespace espalier::plan::grid
