#pragma once

#include "plan/gather/problem.hpp"

namespace espalier::plan::gather {

/// What a ring is to have the least of.
enum class Aim {
    slowest,  ///< its slowest step; then its sum
    sum,      ///< its sum; then its slowest step
};

[[nodiscard]] inline bool better(Aim aim, const Value& a, const Value& b) {
    if (aim == Aim::slowest) return a < b;
    return a.sum != b.sum ? a.sum < b.sum : a.slowest < b.slowest;
}

}  // namespace espalier::plan::gather
