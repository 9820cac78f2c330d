#pragma once

#include "report/timeline_layout.hpp"

namespace espalier::report {

/// The tracks of a node's bars, which stand beside each other if they overlap in time: sends (with
/// the local part of the node) among themselves, and receives likewise.
struct ColumnTracks {
    std::vector<Bar> sends;                ///< one each transfer, in the schedule's order
    std::vector<Bar> receives;             ///< likewise
    std::vector<Bar> local;                ///< one each local part; on the tracks of the sends
    std::vector<std::size_t> send_tracks;  ///< by node, at least 1
    std::vector<std::size_t> receive_tracks;
};
/// Throws std::invalid_argument where the timeline is not one of that schedule.
[[nodiscard]] ColumnTracks column_tracks(const schedule::Plan& plan);

}  // namespace espalier::report
