#pragma once

#include <limits>

namespace espalier {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// The time, in seconds, of an event that does not happen.
inline constexpr double never = infinity;

}  // namespace espalier
