#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <optional>
#include <span>
#include <string>

namespace espalier::simulate {

/// What is wrong with stated times by which a shared capacity of the fabric would have to carry
/// more than it does; nullopt: nothing. However messages share it, what has until its end can wait;
/// but of a crowd of long messages it carries less (Capacity::lost). `costs` are those of whole
/// transfers.
[[nodiscard]] std::optional<std::string> find_overloaded_capacity(
    const schedule::Schedule& schedule, const Fabric& fabric, std::span<const MessageCost> costs,
    const schedule::Timeline& stated);

}  // namespace espalier::simulate
