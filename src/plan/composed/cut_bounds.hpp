#pragma once

#include "simulate/fabric.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace espalier::plan::composed {

/// What has to leave a set of nodes and to enter it, in bytes; `inside` says which nodes are in it.
struct Crossing {
    double out = 0;
    double in = 0;
};
using CrossingOf = std::function<Crossing(const std::vector<char>& inside)>;

/// What crosses the edge of a set of nodes takes, after the least latency across it, at least what
/// the ports on either side and the shared capacities on the way need for it; where one capacity
/// serves both directions, for both together. The greatest of it over sets of like nodes: nodes are
/// alike that see all others, and are seen by them, over links of the same costs and capacities;
/// all unions are tried of few such classes, of some dozens each by itself.
///
/// `all`: the bytes of everything, more than any message could be. Sound for any schedule: messages
/// may be cut, joined and passed on.
[[nodiscard]] Seconds cut_bound(const simulate::Fabric& fabric, Bytes all, std::size_t ports,
                                const CrossingOf& crossing_of);

}  // namespace espalier::plan::composed
