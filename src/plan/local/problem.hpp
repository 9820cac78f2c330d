#pragma once

#include "network/cost_table.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>

namespace espalier::plan::local {

/// A broadcast among `nodes` like nodes (P >= 1) of one cluster.
struct Problem {
    std::size_t nodes = 1;
    network::PLogP link;
    Bytes bytes;
};

/// A strategy inside a cluster: one row of steffenel-2006 Table 1 (or ours), a printed cost model
/// and an executable schedule. Segments are at least 1 byte, so that no more than max(1, m) of them
/// are ever made; a strategy that is not segmented ignores the number asked for.
struct Strategy {
    /// The printed formula, with `segments` segments k of s = ceil(m / k) bytes (1 where the
    /// strategy is not segmented); 0 for a single node, whatever is printed.
    Seconds (*formula)(const Problem& problem, std::size_t segments) = nullptr;
    /// The schedule between nodes 0 .. P-1 from `root`, the message in `segments` segments. The
    /// node at position i of the strategy's shape is (root + i) mod P; nodes are named by number,
    /// and the name of the algorithm is left to the caller.
    schedule::Schedule (*make)(const Problem& problem, std::size_t root,
                               std::size_t segments) = nullptr;
    bool segmented = false;
};

}  // namespace espalier::plan::local
