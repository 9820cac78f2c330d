#pragma once

#include "plan/bounds/groups.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::bounds {

/// A set of groups: 1 where a group is in it.
using GroupSet = std::vector<char>;

/// Which groups can be joined along links that `joins(from, to)` accepts, either way.
template <typename Joins>
[[nodiscard]] std::vector<GroupSet> joined(std::size_t groups, Joins joins) {
    std::vector<GroupSet> parts;
    std::vector<char> seen(groups, 0);
    for (std::size_t first = 0; first < groups; ++first) {
        if (seen[first] != 0) continue;
        GroupSet part(groups, 0);
        std::vector<std::size_t> open{first};
        seen[first] = 1;
        while (!open.empty()) {
            const std::size_t here = open.back();
            open.pop_back();
            part[here] = 1;
            for (std::size_t next = 0; next < groups; ++next) {
                if (seen[next] != 0 || !(joins(here, next) || joins(next, here))) continue;
                seen[next] = 1;
                open.push_back(next);
            }
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

/// Bytes a second of one message between the groups, at most.
[[nodiscard]] double fastest(const Groups& groups, std::size_t from, std::size_t to);

/// Parts of the groups of which each is joined by links of some least rate: a partition for each
/// rate that tells more of them apart, the coarsest first.
[[nodiscard]] std::vector<std::vector<GroupSet>> parts_by_rate(const Groups& groups);

/// Sets whose edges may be narrow: what is reached without some capacity, the parts by rate, single
/// groups; and all other groups beside each of these. No set twice, none empty, none of all.
[[nodiscard]] std::vector<GroupSet> narrow_sets(const Groups& groups);

}  // namespace espalier::plan::bounds
