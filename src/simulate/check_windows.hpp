#pragma once

#include "schedule/timeline.hpp"
#include "simulate/fabric.hpp"

#include <optional>
#include <span>
#include <string>

namespace espalier::simulate {

/// Says which transfer has left sooner than the window of its connection allows (Window), counted
/// from its own start and from the start of all that its connection carried without a pause;
/// nullopt if none has. The window is taken to be as large as it can be: at the beginning the
/// largest that a row of such calls comes back to, later grown by all that was carried, and less
/// only after idle times. `costs` are those of whole transfers, in any number of segments.
[[nodiscard]] std::optional<std::string> find_narrow_window(const schedule::Schedule& schedule,
                                                            const Fabric& fabric,
                                                            std::span<const MessageCost> costs,
                                                            const schedule::Timeline& stated);

}  // namespace espalier::simulate
