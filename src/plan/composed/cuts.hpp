#pragma once

#include "plan/composed/lanes.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::composed {

/// Into how many segments the request's message may be cut, ascending: as it says, or the powers of
/// two up to `most` of which each has at least least_segment_bytes. Whole messages are among them
/// only where they are asked for.
[[nodiscard]] std::vector<std::size_t> segment_counts(const Request& request, std::size_t most);

/// How many segments may go along `edges` of trees: more transfers take long to list and to
/// simulate.
[[nodiscard]] std::size_t most_segments_along(std::size_t edges);

/// The message combined along the lane's way up and then copied along its way down: whole, and in
/// as many segments as look best.
[[nodiscard]] std::vector<schedule::Schedule> along(const Problem& problem, const Lane& lane);

/// The lane on which each segment of a message goes.
using Turns = std::vector<std::size_t>;
[[nodiscard]] Turns in_turns(std::size_t lanes, std::size_t segments);

/// The message cut into segments that go on the lanes in turn, `pace` seconds after each other, all
/// transfers in the order of list_greedily(), and about when the last is over, in seconds.
struct Listed {
    double time = 0;
    schedule::Schedule schedule;
};
[[nodiscard]] Listed list_on(const Problem& problem, const std::vector<Lane>& lanes,
                             const Turns& turns, double pace = 0);

}  // namespace espalier::plan::composed
