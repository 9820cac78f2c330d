#pragma once

#include "plan/node/problem.hpp"
#include "plan/node/ticks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::plan::node {

/// A problem in whole ticks. A class may be as slow as its neighbour here, because rounding down
/// can make them alike; none is slower than the next.
struct TickProblem {
    schedule::Kind kind = schedule::Kind::broadcast;
    std::vector<Ticks> time;           ///< of each class; > 0
    std::vector<std::uint64_t> count;  ///< of each class, the root included
    std::optional<std::size_t> root;   ///< its class; none: any (broadcast only)
    std::size_t ports = 1;

    [[nodiscard]] std::size_t classes() const { return time.size(); }
    [[nodiscard]] std::uint64_t nodes() const;
    [[nodiscard]] bool is_broadcast() const { return kind == schedule::Kind::broadcast; }
};

[[nodiscard]] TickProblem in_ticks(const Problem& problem, const Clock& clock);

}  // namespace espalier::plan::node
