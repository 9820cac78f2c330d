#pragma once

#include "core/json.hpp"
#include "network/partition.hpp"

#include <string>
#include <vector>

namespace espalier::network {

/// A partition with names in place of indices: what a file of format `espalier-clusters` says.
struct NamedPartition {
    double tolerance = 0;
    std::vector<std::vector<std::string>> clusters;
    std::vector<std::string> unplaced;  ///< each of them is a cluster of one, too

    friend bool operator==(const NamedPartition&, const NamedPartition&) = default;
};

[[nodiscard]] NamedPartition with_names(const Partition& partition,
                                        const std::vector<std::string>& names);

/// Format `espalier-clusters`, version 1. The field `unplaced` is there only where some are.
[[nodiscard]] Json to_json(const NamedPartition& partition);
/// Throws InputError naming file and field: a wrong shape, an empty cluster, a name used twice, an
/// unplaced node that is not a cluster of one.
[[nodiscard]] NamedPartition parse_clusters(const std::string& text, const std::string& source);
[[nodiscard]] NamedPartition read_clusters(const std::string& path);

}  // namespace espalier::network
