#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <optional>
#include <span>
#include <string>

namespace espalier::simulate {

/// Names a shared capacity of the fabric that would have to carry more than it can for the stated
/// times to hold, and one of the transfers; nullopt if there is none. Sound for any way of sharing
/// the capacity; under incast it carries less (Capacity::carries). `costs` are those of whole
/// transfers.
[[nodiscard]] std::optional<std::string> find_overloaded_capacity(
    const schedule::Schedule& schedule, const Fabric& fabric, std::span<const MessageCost> costs,
    const schedule::Timeline& stated);

}  // namespace espalier::simulate
