#pragma once

#include "plan/composed/problem.hpp"
#include "schedule/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace espalier::plan::composed {

/// What looking at one message, or making it, is taken to cost in steps of a Meter.
inline constexpr std::uint64_t steps_a_look = 20;

/// A rooted tree over the ranks of a job; children in the order in which they are served.
struct Tree {
    std::size_t root = 0;
    std::vector<std::size_t> parent;  ///< of each rank; the root's is itself
    std::vector<std::vector<std::size_t>> children;

    Tree(std::size_t ranks, std::size_t its_root);
    void add(std::size_t from, std::size_t to);
    /// Before the other children of `from`.
    void add_first(std::size_t from, std::size_t to);
    [[nodiscard]] std::size_t size() const { return parent.size(); }
    /// Of the root.
    [[nodiscard]] std::size_t first_child() const { return children[root].front(); }
    /// All ranks, parents first, and each rank's children in their order.
    [[nodiscard]] std::vector<std::size_t> order() const;
};

/// The clusters that a job uses, those first whose farthest other one is the nearest, there and
/// back.
[[nodiscard]] std::vector<const Site*> central_members(const Problem& problem);

/// A schedule of this request without chunks and transfers.
[[nodiscard]] schedule::Schedule empty_schedule(const Problem& problem);

/// Appends transfers that bring chunks [chunk, chunk + chunks), as one message each, from the root
/// to all: each node serves its children one after the other.
void spread(schedule::Schedule& schedule, const Tree& tree, std::size_t chunk,
            std::size_t chunks = 1);

/// Appends transfers that combine chunks [chunk, chunk + chunks) at the root: a node sends when it
/// has heard of all its children, of those served last first (the mirror of spread()).
void combine(schedule::Schedule& schedule, const Tree& tree, std::size_t chunk,
             std::size_t chunks = 1);

}  // namespace espalier::plan::composed
