#pragma once

namespace espalier::plan {

/// Two nodes are near if a message between them is on its way for at most this part of the longest
/// that such a message is.
inline constexpr double near_part = 0.125;

}  // namespace espalier::plan
