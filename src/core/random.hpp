#pragma once

#include <cstdint>
#include <random>

namespace espalier {

/// Seeded random numbers that are the same on every machine: the standard engine, without the
/// standard distributions, whose results differ between libraries.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// A real number in [0, 1).
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }
    /// A real number in [low, high).
    double uniform(double low, double high) { return low + (high - low) * uniform(); }
    /// A whole number in [0, bound); bound > 0.
    std::uint64_t below(std::uint64_t bound) {
        return static_cast<std::uint64_t>(uniform() * static_cast<double>(bound));
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace espalier
