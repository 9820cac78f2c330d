#pragma once

#include "core/meter.hpp"
#include "plan/job.hpp"
#include "plan/request.hpp"
#include "plan/site.hpp"
#include "simulate/fabric.hpp"

#include <vector>

namespace espalier::plan::composed {

/// A collective that is to be composed of pieces. Ranks are the job's; the site shows them level by
/// level, and the fabric what a message between two of them costs.
struct Problem {
    const Job* job = nullptr;
    const Request* request = nullptr;
    const Site* site = nullptr;
    const simulate::Fabric* fabric = nullptr;
    std::size_t ports = 1;  ///< sends, and receives, that a rank takes part in at once
    /// Seconds that each segment is taken to cost beside what simulations say, see
    /// segment_overhead().
    double overhead = 0;
};

/// A few schedules between ranks that might do well: with other centres, trees, sizes of segments,
/// as many as the meter allows, which they are charged to. All are valid, so whoever asks has only
/// to simulate them; none where the algorithm can't serve the request (an operator that needs an
/// order, blocks that must go direct), or where the meter does not afford the first of them and
/// others can serve it.
using Planner = std::vector<schedule::Schedule> (*)(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
