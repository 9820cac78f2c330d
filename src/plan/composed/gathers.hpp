#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// All-gathers; reduce-scatters are their mirrors (as_asked). Each chunk is one rank's block.

/// Each to each.
[[nodiscard]] std::vector<schedule::Schedule> direct_to_all(const Problem& problem, Meter& meter);
/// Blocks are collected in each cluster, go round between coordinators, and are spread inside.
[[nodiscard]] std::vector<schedule::Schedule> gather_by_levels(const Problem& problem,
                                                               Meter& meter);
/// Up a tree to a centre, and down from it to all.
[[nodiscard]] std::vector<schedule::Schedule> gather_at_centre(const Problem& problem,
                                                               Meter& meter);
/// Step k: each rank sends what it has, up to 2^k blocks, to the one 2^k places before it.
[[nodiscard]] std::vector<schedule::Schedule> gather_by_doubling(const Problem& problem,
                                                                 Meter& meter);
/// Each block by itself from cluster to cluster, on links and ports that are free the soonest, and
/// round a ring inside each; for a reduce-scatter as well.
[[nodiscard]] std::vector<schedule::Schedule> gather_by_routes(const Problem& problem,
                                                               Meter& meter);
/// Round rings of all ranks (Family::allgather), where those serve no reduce-scatter, and no blocks
/// that differ.
[[nodiscard]] std::vector<schedule::Schedule> gather_round_rings(const Problem& problem,
                                                                 Meter& meter);

}  // namespace espalier::plan::composed
