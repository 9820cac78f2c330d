#pragma once

#include <cstdint>

namespace espalier::testbed {

/// Seeded random numbers in eight bytes, so that each path and queue can have its own: splitmix64
/// (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
class Draws {
public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}

    /// A real number in [0, 1).
    double uniform() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t bits = state_;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
        bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
        return static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1.0p-53;
    }

private:
    std::uint64_t state_;
};

}  // namespace espalier::testbed
