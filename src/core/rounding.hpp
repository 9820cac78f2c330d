#pragma once

#include <cmath>

namespace espalier {

/// Times that differ by less, relatively, are equal: sums in another order differ as much.
inline constexpr double rounding = 1e-12;

/// The nearest number of 8 significant binary digits, by which values are counted in bounded
/// memory.
[[nodiscard]] inline double coarse(double value) {
    constexpr double steps = 256;
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::round(mantissa * steps) / steps, exponent);
}

}  // namespace espalier
