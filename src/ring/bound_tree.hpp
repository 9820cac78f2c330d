#pragma once

#include "ring/platform.hpp"

#include <cstddef>
#include <vector>

namespace espalier::ring {

/// The division of hosts by links: a tree of groups, each with the hosts of one part and of all
/// parts below it. If paths are free, its parts are what remains connected when all bridges of the
/// network are gone (parallel links between two vertices count as one bridge). If routes are
/// listed, the groups are sets of hosts such that whatever crosses some link has one end inside and
/// one outside, as many sets as nest.
///
/// The parts that a ring has hosts in, and those between them, are connected in this tree. A ring
/// uses no link but those `above` and `inside` these parts (without those above the topmost one),
/// and those of `anywhere`. Links that no ring can use are in no list, nor are backbones.
struct CutTree {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Part {
        std::size_t parent = none;  ///< an earlier part; none for the first one
        std::size_t depth = 0;
        std::vector<LinkId> above;   ///< only between the group and the rest
        std::vector<LinkId> inside;  ///< only where the part is in use
        std::vector<Host> hosts;
    };
    std::vector<Part> parts;  ///< parents first; each group has hosts, and none has all of them
    std::vector<std::size_t> part_of;  ///< by host
    std::vector<LinkId> anywhere;

    /// The lowest part whose group has both.
    [[nodiscard]] std::size_t meeting(Host one, Host other) const;
};
[[nodiscard]] CutTree cut_tree(const Platform& platform);

}  // namespace espalier::ring
