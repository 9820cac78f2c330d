#pragma once

namespace espalier {

/// Times that differ by less, relatively, are equal: sums in another order differ as much.
inline constexpr double rounding = 1e-12;

}  // namespace espalier
