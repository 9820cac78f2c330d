#pragma once

#include <compare>
#include <cstdint>

namespace espalier {

/// A number with a unit. Values of one unit add and compare; a plain number scales them; nothing
/// converts silently. `.value` is the number in SI units, for tight loops.
template <typename Unit, typename Rep>
struct Quantity {
    Rep value{};

    constexpr Quantity() = default;
    constexpr explicit Quantity(Rep number) : value(number) {}

    friend constexpr auto operator<=>(Quantity, Quantity) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) {
        return Quantity(a.value + b.value);
    }
    friend constexpr Quantity operator-(Quantity a, Quantity b) {
        return Quantity(a.value - b.value);
    }
    friend constexpr Quantity operator*(Quantity a, Rep factor) {
        return Quantity(a.value * factor);
    }
    friend constexpr Quantity operator*(Rep factor, Quantity a) {
        return Quantity(a.value * factor);
    }
    friend constexpr Quantity operator/(Quantity a, Rep divisor) {
        return Quantity(a.value / divisor);
    }
    friend constexpr Rep operator/(Quantity a, Quantity b) { return a.value / b.value; }
    constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
    constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }
};

using Seconds = Quantity<struct SecondsUnit, double>;
using Bytes = Quantity<struct BytesUnit, std::uint64_t>;
using BytesPerSecond = Quantity<struct BytesPerSecondUnit, double>;

constexpr Seconds operator/(Bytes size, BytesPerSecond rate) {
    return Seconds(static_cast<double>(size.value) / rate.value);
}
constexpr BytesPerSecond operator/(Bytes size, Seconds time) {
    return BytesPerSecond(static_cast<double>(size.value) / time.value);
}

}  // namespace espalier
