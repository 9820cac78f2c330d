#pragma once

#include "core/matrix.hpp"
#include "core/meter.hpp"
#include "core/units.hpp"
#include "simulate/fabric.hpp"

#include <compare>
#include <cstddef>
#include <span>
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

/// What a ring is to have the least of.
enum class Aim {
    slowest,  ///< its slowest step; then its sum
    sum,      ///< its sum; then its slowest step
};

[[nodiscard]] inline bool better(Aim aim, const Value& a, const Value& b) {
    if (aim == Aim::slowest) return a < b;
    return a.sum != b.sum ? a.sum < b.sum : a.slowest < b.slowest;
}

/// An all-gather round a ring, in plain numbers: what blocks of one size cost from node to node.
struct Problem {
    const simulate::Fabric* fabric = nullptr;
    Bytes block;
    /// A message's gap, or what the narrowest shared capacity on its way takes for it alone.
    Matrix<double> step;
    Matrix<double> hop;  ///< gap and latency
    /// Of each of the fabric's capacities, seconds a block; empty: none is shared.
    std::vector<double> crossing;

    [[nodiscard]] std::size_t nodes() const { return step.rows(); }
    /// On which capacities a message draws.
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from, std::size_t to) const {
        return crossing.empty() ? std::span<const std::uint32_t>() : fabric->draws(from, to);
    }
};

/// Finds a ring of all nodes. Whoever searches spends from the meter, and stops when it is over.
using Planner = Order (*)(const Problem& problem, Meter& meter);

/// The fabric must outlive the problem. Throws InputError naming a pair whose cost is not known.
[[nodiscard]] Problem make_problem(const simulate::Fabric& fabric, Bytes block);

/// Of a ring of all nodes; of a single one, nothing.
[[nodiscard]] Value value_of(const Problem& problem, const Order& order);

}  // namespace espalier::plan::gather
