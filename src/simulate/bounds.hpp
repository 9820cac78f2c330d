#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <span>

namespace espalier::simulate {

/// A time that no broadcast of `bytes` from `root` to all nodes of the fabric can beat, where each
/// node takes part in `ports` sends and in `ports` receives at once. `inner` is what each node
/// still needs after it holds the message (a cluster's own broadcast); empty: nothing.
///
/// whole_message: the message reaches v no sooner than along the shortest path of g + L; n nodes no
/// sooner than if every link were as fast as the fastest (Bar-Noy and Kipnis's postal model); and
/// the bound of slot prices (slot_prices.hpp) where there are at most 64 classes of like nodes.
/// any: the first byte reaches v no sooner than along the shortest path of latencies, and then v's
/// ports take at least the least time per byte of any link into it; likewise the root's ports, and
/// all senders' together; a shared capacity that no path leads around carries the whole message;
/// and slot prices, with a message as short as can be in place of each first receipt. docs/grid.md
/// derives them.
[[nodiscard]] Seconds broadcast_bound(const Fabric& fabric, std::size_t root, Bytes bytes,
                                      schedule::BoundScope scope,
                                      std::span<const Seconds> inner = {}, std::size_t ports = 1);

}  // namespace espalier::simulate
