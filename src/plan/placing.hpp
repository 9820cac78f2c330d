#pragma once

#include "core/limits.hpp"
#include "network/grid_view.hpp"
#include "plan/performance.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace espalier::plan {

/// Hosts to which ranks are dealt, one after the other, and what is to be fast in their order.
struct PlacingProblem {
    const network::GridView* view = nullptr;
    std::vector<network::GridView::Place> hosts;  ///< in the given order
    std::size_t slots = 1;                        ///< ranks on each host
    std::vector<Performance> performances;        ///< of all ranks
    /// Longer messages wait for their receivers.
    Bytes eager{std::numeric_limits<std::uint64_t>::max()};
};

/// An order, and what each performance is predicted to take in it.
struct Placing {
    std::vector<std::size_t> hosts;  ///< indices into the problem's
    std::vector<Seconds> given;      ///< in the given order
    std::vector<Seconds> placed;
    std::size_t tried = 0;  ///< orders that were simulated
};

/// The order in which the performances' geometric mean is least, of those that make none slower
/// than the given order does; so the given one where nothing better was found. Begins with orders
/// in which near hosts follow each other, and changes the best one at random while the limits last.
/// Throws InputError where the network does not know a cost that a performance has.
[[nodiscard]] Placing place(const PlacingProblem& problem, const Limits& limits);

}  // namespace espalier::plan
