#pragma once

#include "directory/measurement.hpp"
#include "network/network.hpp"

#include <string>
#include <vector>

namespace espalier::directory {

/// The costs that a network states of its pairs of nodes, as if they had been measured.
struct Statements {
    std::vector<std::string> nodes;  ///< in the network's order
    std::vector<Measurement> measurements;
    std::vector<std::string> left_out;  ///< lines on what is not about pairs
};

/// `pairwise`: start-ups are latencies; a node's total is a bandwidth with one end left out.
/// `grid`: levels are flattened; a link is between the coordinators of two clusters, the inside of
/// a cluster between its first two nodes, and its first node has the same latency to all others. A
/// constant gap is one at size 0. A shared capacity is a bandwidth of each of its pairs while the
/// others were active, which add up to it (of a single pair: while it was active twice). Throws
/// InputError naming `source` for models that state nothing of pairs: `sender` and `links`.
[[nodiscard]] Statements statements_of(const network::Network& network, Time at,
                                       const std::string& by,
                                       const std::string& source = "network");

}  // namespace espalier::directory
