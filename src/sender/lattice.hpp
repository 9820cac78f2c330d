#pragma once

#include "sender/ticks.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace espalier::sender {

/// Times at which things happen, counted from the start (broadcast) or backwards from the deadline
/// (reduction), and to which of them a send leads from each.
struct Lattice {
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    std::size_t classes = 0;
    std::vector<Ticks> at;            ///< strictly increasing
    std::vector<std::uint32_t> next;  ///< row by row: where at[i] + time of class c is, or `none`

    [[nodiscard]] std::size_t size() const { return at.size(); }
    [[nodiscard]] std::span<const std::uint32_t> after(std::size_t point) const {
        return {next.data() + point * classes, classes};
    }
    /// The last point that is not after `deadline`.
    [[nodiscard]] std::size_t last_by(Ticks deadline) const;
};

/// The lattice of all times up to `horizon` at which anything can happen in a schedule without
/// delay, which are sums of sending times; nullopt if there are more than `most_points`.
///
/// Broadcast: 0, where the root has the message, and the sums of any classes' times, the same class
/// any number of times; with a given root, its time first. Reduction: the sums in which no class
/// occurs more often than it has nodes other than the root, because each term is another node's
/// sending.
[[nodiscard]] std::optional<Lattice> make_lattice(const TickProblem& problem, Ticks horizon,
                                                  std::size_t most_points);

/// The lattice of these times before `end`, in which other times count as the last of these before
/// them. What is rounded happens no later, so that what is impossible among these times is
/// impossible.
[[nodiscard]] Lattice rounding_lattice(const TickProblem& problem, std::vector<Ticks> at,
                                       Ticks end);

}  // namespace espalier::sender
