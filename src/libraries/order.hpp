#pragma once

#include "core/limits.hpp"
#include "libraries/library.hpp"
#include "network/grid_view.hpp"

#include <cstddef>
#include <vector>

namespace espalier::libraries {

/// Hosts whose ranks a job numbers one after the other, and the calls for which their order is to
/// be good.
struct OrderProblem {
    const network::GridView* view = nullptr;
    std::vector<network::GridView::Place> hosts;  ///< in the given order, each once
    std::size_t slots = 1;                        ///< ranks on each host
    const Library* library = nullptr;
    std::vector<Call> calls;  ///< of kinds that the library performs, of all ranks
};

/// An order, and what the library's usual algorithm is predicted to take for each call in it.
struct Order {
    struct Timed {
        Call call;
        const Algorithm* algorithm = nullptr;
        Seconds given;
        Seconds ordered;
    };
    std::vector<std::size_t> hosts;  ///< indices into the problem's
    std::vector<Timed> calls;
    std::size_t tried = 0;  ///< orders that were simulated

    /// How many times as fast calls are as in the given order, in geometric mean; 1 without calls.
    [[nodiscard]] double gain() const;
};

/// As plan::place() finds it for the algorithms that the library usually takes for the calls; long
/// messages wait for their receivers (network::usual_eager_bytes).
[[nodiscard]] Order find_order(const OrderProblem& problem, const Limits& limits);

}  // namespace espalier::libraries
