#pragma once

#include "schedule/timeline.hpp"

#include <cstddef>
#include <vector>

namespace espalier::report {

/// Something that keeps a node busy for a while.
struct Bar {
    enum class Kind { send, receive, local };
    Kind kind = Kind::send;
    std::size_t index = 0;  ///< which transfer or local part
    std::size_t lane = 0;   ///< whose: nodes in the schedule's order
    double start = 0;       ///< seconds
    double end = 0;
    std::size_t track = 0;  ///< within its lane; bars of one track do not overlap
};

/// The strip of a node, from `top` downwards in pixels; as many tracks as bars that overlap in
/// time.
struct Lane {
    double top = 0;
    double height = 0;
    std::size_t tracks = 1;
};

/// The positions of a timeline's bars. Receives have tracks of their own above the sends if the two
/// overlap, as they do in pipelines and exchanges.
struct TimelineLayout {
    std::vector<Lane> lanes;
    std::vector<Bar> sends;     ///< one each transfer, in the schedule's order
    std::vector<Bar> receives;  ///< likewise
    std::vector<Bar> local;     ///< one each local part
    double height = 0;          ///< of all lanes

    /// Top and bottom of a bar, from the top of the first lane.
    [[nodiscard]] double top_of(const Bar& bar) const;
    [[nodiscard]] double height_of(const Bar& bar) const;
};

/// Puts each bar on the first track, from `first` on, that is free by then; returns how many tracks
/// that takes. Bars that touch share a track, however their times (seconds) were rounded.
std::size_t assign_tracks(std::vector<Bar*> bars, std::size_t first, double tolerance);

/// Throws std::invalid_argument where the timeline is not one of that schedule.
[[nodiscard]] TimelineLayout lay_out(const schedule::Plan& plan);

}  // namespace espalier::report
