#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::measure {

/// A machine and the processes that run on it.
struct Host {
    std::string name;                ///< the longest form that any of its processes gave
    std::vector<std::size_t> ranks;  ///< increasing; the first one speaks for the host
};

/// Puts together the ranks whose hosts are the same, short and full names agreeing. `names` has the
/// host name of each rank. Hosts are ordered by their first rank.
[[nodiscard]] std::vector<Host> group_by_host(const std::vector<std::string>& names);

/// A name for each cluster, from the names of its hosts: what they have in common (`node-` of
/// node-1 and node-2 gives `node`), unless that is empty or another cluster's too, or the name of a
/// host elsewhere; then the name of its first host. No two are equal.
[[nodiscard]] std::vector<std::string> name_clusters(
    const std::vector<std::vector<std::string>>& clusters);

}  // namespace espalier::measure
