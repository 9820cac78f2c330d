#pragma once

#include "core/units.hpp"

namespace espalier::plan {

/// When a search has to stop with the best that it has.
struct Limits {
    Seconds time{10};  ///< of planning
};

}  // namespace espalier::plan
