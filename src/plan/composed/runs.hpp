#pragma once

#include "plan/site.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::composed {

/// Ranks first .. last of a job, level by level: members follow one another in rank order. None
/// where this is one rank, or where those of some member do not lie together, so that nothing is
/// to be gained by its levels.
struct Run {
    std::size_t first = 0;
    std::size_t last = 0;
    std::vector<Run> members;
    bool alike = true;  ///< messages between any two members cost the same

    [[nodiscard]] std::size_t size() const { return last - first + 1; }
};

/// All ranks of a job, given its outermost site.
[[nodiscard]] Run runs_of(const Site& site);

}  // namespace espalier::plan::composed
