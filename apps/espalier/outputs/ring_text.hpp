#pragma once

#include "network/network.hpp"
#include "schedule/ring.hpp"

#include <string>

namespace espalier::cli {

/// A row for each host of a ring: its share, what it works and what its messages take; then the
/// links that are used the most.
[[nodiscard]] std::string ring_tables(const schedule::Ring& ring,
                                      const network::LinksNetwork& network);

}  // namespace espalier::cli
