#pragma once

#include "overview/overview.hpp"
#include "report/panel.hpp"

namespace espalier::report {

/// A map of a network: groups as discs, the farther apart the longer their latencies; lines as
/// thick as rates, each half that of what its end sends; what groups share beside those who share
/// it. A physical graph is drawn as it is.
[[nodiscard]] Panel map_panel(const overview::Overview& overview);

}  // namespace espalier::report
