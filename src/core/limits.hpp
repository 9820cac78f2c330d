#pragma once

#include "core/units.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace espalier {

/// The limits at which a search stops with the best that it has.
struct Limits {
    Seconds time{10};  ///< of planning
    /// Steps of some nanoseconds each, as the search counts them; left out, any number. What they
    /// stop is the same on every machine, which time is not.
    std::optional<std::uint64_t> work = {};

    /// The limit in steps; the greatest number there is if work is not limited.
    [[nodiscard]] std::uint64_t most_steps() const {
        return work.value_or(std::numeric_limits<std::uint64_t>::max());
    }
    /// These limits with at most so many steps.
    [[nodiscard]] Limits at_most(std::uint64_t steps) const {
        return {time, std::min(most_steps(), steps)};
    }
};

}  // namespace espalier
