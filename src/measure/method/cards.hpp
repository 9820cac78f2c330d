#pragma once

#include "measure/method/sampling.hpp"
#include "measure/method/sharing_plan.hpp"

#include <cstddef>
#include <vector>

namespace espalier::measure {

/// Rounds in which the hosts of each cluster of four or more send to each other in a ring, and
/// then in another one, all clusters at once: what is slow both to and from a host is the host's
/// card. `latencies` in seconds one way.
[[nodiscard]] std::vector<StreamRound> plan_cards(
    const std::vector<std::vector<std::size_t>>& clusters, const LatencyMatrix& latencies);

/// The clusters, hosts whose cards are clearly slower apart from the others of theirs. `rates`:
/// what the streams of these rounds got.
[[nodiscard]] std::vector<std::vector<std::size_t>> split_by_cards(
    const std::vector<std::vector<std::size_t>>& clusters, const std::vector<StreamRound>& rounds,
    const std::vector<RoundWindows>& rates);

}  // namespace espalier::measure
