#pragma once

#include "schedule/timeline.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace espalier::report {

/// Consecutive nodes that belong together, such as the ranks of a cluster.
struct LaneGroup {
    std::string name;
    std::size_t nodes = 0;
};

struct TimelineOptions {
    double width = 1200;     ///< pixels at least; long names and titles widen the picture
    std::string title = {};  ///< in place of the one that says what the plan does
    /// Set apart and named beside the lanes. All nodes, in the schedule's order, or none.
    std::vector<LaneGroup> groups = {};
    Seconds until = {};                    ///< the axis goes at least so far
    bool critical_path = false;            ///< drawn over the lanes, and over a density
    std::string time_unit = {};            ///< where the network has its own; empty: seconds
    std::vector<std::string> origin = {};  ///< below a page: lines about where it comes from

    /// Throws std::invalid_argument where there are groups, and not of so many nodes in all.
    void check_groups(std::size_t nodes) const;
};

/// A plan as a picture: a lane for each node in the schedule's order, time along the axis. A dark
/// bar is a send, in the sender's lane and labelled with the receiver where there is room; a light
/// one the receive; hatched ones come in segments, and last from the first one's start to the last
/// one's end. Bars show their details when pointed at. Throws std::invalid_argument where the plan
/// has no times, or the groups do not cover the nodes.
[[nodiscard]] std::string timeline_svg(const schedule::Plan& plan,
                                       const TimelineOptions& options = {});

}  // namespace espalier::report
