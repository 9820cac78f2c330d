#pragma once

#include "core/matrix.hpp"
#include "core/units.hpp"
#include "simulate/fabric.hpp"

#include <compare>
#include <cstddef>
#include <vector>

namespace espalier::plan::gather {

/// Nodes in the order of a ring: each sends to the next, the last one to the first.
using Order = std::vector<std::size_t>;

/// What makes one ring better than another, in seconds for each step of a ring all-gather, in which
/// every node passes a block on.
struct Value {
    /// The slowest thing that a step has to wait for: the greatest gap between neighbours, or a
    /// shared capacity with all the blocks that cross it.
    double slowest = 0;
    double sum = 0;  ///< of all gaps and latencies: how long one block takes once round

    friend auto operator<=>(const Value&, const Value&) = default;
};

/// An all-gather round a ring, in plain numbers: what blocks of one size cost from node to node.
struct Problem {
    const simulate::Fabric* fabric = nullptr;
    Bytes block;
    /// A message's gap, or what the narrowest shared capacity on its way takes for it alone.
    Matrix<double> step;
    Matrix<double> hop;            ///< gap and latency
    std::vector<double> crossing;  ///< of each of the fabric's capacities, seconds a block

    [[nodiscard]] std::size_t nodes() const { return step.rows(); }
};

/// The fabric must outlive the problem. Throws InputError naming a pair whose cost is not known.
[[nodiscard]] Problem make_problem(const simulate::Fabric& fabric, Bytes block);

/// Of a ring of all nodes; of a single one, nothing.
[[nodiscard]] Value value_of(const Problem& problem, const Order& order);

}  // namespace espalier::plan::gather
