#pragma once

#include "core/meter.hpp"
#include "sender/lattice.hpp"
#include "sender/result.hpp"

#include <cstddef>
#include <optional>

namespace espalier::sender {

/// How soon slot prices allow everything to be over.
struct DeadlineBound {
    std::size_t point = 0;  ///< of the lattice: nothing is over before; perhaps not by then either
    /// Of that; none where `point` is the first at which anything could be over. Its tick is 1.
    std::optional<Proof> proof;
};

/// `feasible`: a point of the lattice by which some schedule is over. A search that runs out of
/// time returns what it has proven until then.
[[nodiscard]] DeadlineBound bound_deadline(const TickProblem& problem, const Lattice& lattice,
                                           std::size_t feasible, Meter& meter);

}  // namespace espalier::sender
