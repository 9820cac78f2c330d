#pragma once

#include "report/timeline_svg.hpp"

#include <string>

namespace espalier::report {

/// Whether a plan has more messages or nodes than a picture of each of them would show.
[[nodiscard]] bool is_crowd(const schedule::Plan& plan);

/// A plan of any number of messages as a picture: rows of nodes that follow each other, time along
/// the axis, and how many of a row's nodes send and receive at a time as the strength of a colour.
/// Its subtitle says what is summed up. Takes a time that grows with the number of messages, and
/// its size does not. Throws std::invalid_argument where the plan has no times.
[[nodiscard]] std::string density_svg(const schedule::Plan& plan,
                                      const TimelineOptions& options = {});
/// The same as a page.
[[nodiscard]] std::string density_html(const schedule::Plan& plan,
                                       const TimelineOptions& options = {});

}  // namespace espalier::report
