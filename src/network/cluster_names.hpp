#pragma once

#include <string>
#include <vector>

namespace espalier::network {

/// A name for each cluster, from the names of its hosts: what they have in common (`node-` of
/// node-1 and node-2 gives `node`), unless that is empty or another cluster's too, or the name of a
/// host elsewhere; then the name of its first host. No two are equal.
[[nodiscard]] std::vector<std::string> name_clusters(
    const std::vector<std::vector<std::string>>& clusters);

}  // namespace espalier::network
