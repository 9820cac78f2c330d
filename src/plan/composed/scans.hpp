#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// A scan or exscan in which each rank passes what it holds to the next one.
[[nodiscard]] std::vector<schedule::Schedule> scan_chain(const Problem& problem);

/// A scan or exscan by steps: in step k each rank sends what it holds to the one 2^k places on.
[[nodiscard]] std::vector<schedule::Schedule> doubling(const Problem& problem);

}  // namespace espalier::plan::composed
