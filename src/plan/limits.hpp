#pragma once

#include "core/units.hpp"

#include <cstdint>
#include <limits>

namespace espalier::plan {

/// When a search has to stop with the best that it has.
struct Limits {
    Seconds time{10};  ///< of planning
    /// Steps of some nanoseconds each, as the search counts them. What they stop is the same on
    /// every machine, which time is not.
    std::uint64_t work = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace espalier::plan
