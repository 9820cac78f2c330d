#pragma once

#include <limits>

namespace espalier {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// As a time.
inline constexpr double never = infinity;

}  // namespace espalier
