#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::measure {

/// A machine and the processes that run on it.
struct Host {
    std::string name;                ///< the longest form that any of its processes gave
    std::vector<std::size_t> ranks;  ///< increasing; the first one measures for the host
};

/// Puts together the ranks whose hosts are the same, short and full names agreeing. `names` has the
/// host name of each rank. Hosts are ordered by their first rank.
[[nodiscard]] std::vector<Host> group_by_host(const std::vector<std::string>& names);

[[nodiscard]] std::vector<std::string> names_of(const std::vector<Host>& hosts);

}  // namespace espalier::measure
