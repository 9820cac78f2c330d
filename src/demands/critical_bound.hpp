#pragma once

#include "demands/problem.hpp"

namespace espalier::demands {

/// Seconds before which the critical node can't be done with its own messages, however long the
/// others wait: its ports send what it has, and receive what others have for it. 0 without a
/// critical node. Of whole messages straight to their receivers.
[[nodiscard]] double critical_bound(const Problem& problem);

}  // namespace espalier::demands
