#pragma once

#include "core/units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace espalier::runtime {

/// Calls take so many times as long as planning, or agreeing, that may turn out to bring nothing.
inline constexpr double planning_charge = 64;

/// The steps of planning among `ranks` that pay for calls that took `spent` so far; nullopt: none
/// do. `before`: the steps in which the plan that there is was found, 0 for none.
///
/// A first plan is made as soon as calls took as long as a short search for one, and may take as
/// long as they did: who waits so long to rent is never charged more than twice. What a longer
/// search adds is little, and it has to be a small part of what calls took.
[[nodiscard]] std::optional<std::uint64_t> worth_planning(std::size_t ranks, Seconds spent,
                                                          std::uint64_t before);

/// The steps of a short search.
[[nodiscard]] std::uint64_t short_planning(std::size_t ranks);

}  // namespace espalier::runtime
