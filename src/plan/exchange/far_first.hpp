#pragma once

#include "plan/exchange/planner.hpp"

namespace espalier::plan::exchange {

/// The caterpillar's order, but every node first sends what is longest on its way: where several
/// are sent at once, latencies pass while the others leave. Where messages of several nodes share
/// the way out of a site, what goes clearly less far than others there leaves once the nodes that
/// send these have told that they have left: so what has to go far is not held up by what has not,
/// whichever node it comes from.
[[nodiscard]] Found far_first(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::exchange
