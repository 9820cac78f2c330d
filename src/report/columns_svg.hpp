#pragma once

#include "report/diagram.hpp"

namespace espalier::report {

/// A plan as a timing diagram (bhat-1998, 3.3): a column for each node, time downwards, a rectangle
/// as high as its time for each message, labelled with the node at its other end; by number, which
/// then stands at the columns' heads too, where names are too long. Idle times are hatched, from
/// time 0 to a column's last message. `view` is columns (what nodes send), receive_columns or both.
/// Throws std::invalid_argument as timeline_svg() does.
[[nodiscard]] std::string columns_svg(const schedule::Plan& plan, const Analysis& analysis,
                                      View view, const TimelineOptions& options = {});

}  // namespace espalier::report
