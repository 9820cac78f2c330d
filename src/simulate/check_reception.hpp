#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <optional>
#include <string>
#include <vector>

namespace espalier::simulate {

/// `transfer 3 (chunk 2, 'a' to 'b')`.
[[nodiscard]] std::string describe_transfer(const schedule::Schedule& schedule, std::size_t t);

/// Whether a transfer draws on capacities that others may draw on, too.
[[nodiscard]] bool shares(const Fabric& fabric, const schedule::Transfer& transfer);

/// Checks a schedule whose receives have no order: says what is wrong with its stated times as far
/// as that concerns the order of its sends, and how messages are received (schedule::Reception);
/// nullopt if nothing is. Interleaved messages must end when their starts imply, or not before that
/// where they share capacities. Buffered ones must fit, and none that waits may be passed by one
/// that started later. `costs` are those of whole transfers. Times of segments are not stated: for
/// these everything has to be as `simulated`.
[[nodiscard]] std::optional<std::string> find_reception_fault(const schedule::Schedule& schedule,
                                                              const Fabric& fabric,
                                                              const std::vector<MessageCost>& costs,
                                                              const schedule::Timeline& stated,
                                                              const schedule::Timeline& simulated);

/// The first transfer that starts before all that come before a barrier are over.
[[nodiscard]] std::optional<std::string> find_broken_barrier(const schedule::Schedule& schedule,
                                                             const schedule::Timeline& stated);

}  // namespace espalier::simulate
