#pragma once

#include "schedule/schedule.hpp"
#include "support/hand_schedules.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::schedule::test {

/// `name0`, `name1`, …
inline Group group_of(const std::string& name, std::size_t members) {
    Group group{name, {}};
    for (std::size_t m = 0; m < members; ++m)
        group.members.push_back({name + std::to_string(m), {}});
    return group;
}

inline LocalPart part_of(std::size_t node, const Schedule& inner,
                         LocalPart::Phase phase = LocalPart::Phase::after) {
    return {node, "hand", std::make_shared<const Schedule>(inner), Seconds(0), 1, phase};
}

/// From and to of every transfer.
inline std::vector<std::pair<std::size_t, std::size_t>> ends_of(const Schedule& schedule) {
    std::vector<std::pair<std::size_t, std::size_t>> ends;
    for (const Transfer& transfer : schedule.transfers)
        ends.emplace_back(transfer.from, transfer.to);
    return ends;
}

}  // namespace espalier::schedule::test
