#pragma once

#include "network/grid_view.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::frontend {

/// The hosts of a job, in the order of its ranks.
struct HostList {
    std::vector<std::string> hosts;  ///< as they were called
    std::vector<network::GridView::Place> places;
    std::size_t slots = 1;  ///< ranks on each
};

/// The names of hosts in a file, a host a line, also as `host slots=2` or `host:2`, `#` beginning a
/// comment. Throws InputError naming the file's line.
[[nodiscard]] std::vector<std::string> hosts_in_file(const std::string& file);

/// Those that a file lists, a host a line, also as `host slots=2` or `host:2`, `#` beginning a
/// comment; all of the network without a file. `slots` says how many ranks each has, in place of
/// the file; empty: not given. Throws InputError naming the file's line.
[[nodiscard]] HostList list_hosts(const std::string& file, const std::string& slots,
                                  const network::GridView& view);

}  // namespace espalier::frontend
