#pragma once

#include "plan/composed/lanes.hpp"

#include <cstddef>
#include <vector>

namespace espalier::plan::composed {

/// Into how many segments the request's message may be cut, ascending: as it says, or the powers of
/// two of which each has at least least_segment_bytes: up to `always`, and as far as the meter
/// affords to list and to simulate their transfers along `edges`. Whole messages are among them
/// only where they are asked for.
[[nodiscard]] std::vector<std::size_t> segment_counts(const Problem& problem, std::size_t edges,
                                                      const Meter& meter, std::size_t always = 2);

/// What a message that goes along so many edges may always be cut into: more is a matter of budget.
[[nodiscard]] std::size_t always_along(std::size_t edges);

/// Of these, into how many segments a message along the lane is cut best.
[[nodiscard]] std::size_t best_count(const Problem& problem, const Lane& lane,
                                     const std::vector<std::size_t>& counts);

/// The message combined along the lane's way up and then copied along its way down: whole, and in
/// as many segments as look best.
[[nodiscard]] std::vector<schedule::Schedule> along(const Problem& problem, const Lane& lane,
                                                    Meter& meter);

/// A segment, and the lane on which it goes.
struct Piece {
    std::size_t lane = 0;
    schedule::Chunk chunk;
};
/// The request's message cut into so many segments, which take turns on the lanes.
[[nodiscard]] std::vector<Piece> in_turns(const Problem& problem, std::size_t lanes,
                                          std::size_t segments);

/// Pieces on their lanes, in the order in which they are given, and about when the last is over, in
/// seconds.
struct Listed {
    double time = 0;
    schedule::Schedule schedule;
};
/// All transfers in the order of list_greedily(); of exchanges, in which what comes from afar would
/// keep out what comes from near, of list_as_they_flow().
[[nodiscard]] Listed list_on(const Problem& problem, const std::vector<Lane>& lanes,
                             const std::vector<Piece>& pieces, Meter& meter);
/// All transfers in the order of list_as_they_flow().
[[nodiscard]] Listed list_as_they_flow(const Problem& problem, const std::vector<Lane>& lanes,
                                       const std::vector<Piece>& pieces, Meter& meter);
/// Piece after piece.
[[nodiscard]] schedule::Schedule put_on(const Problem& problem, const std::vector<Lane>& lanes,
                                        const std::vector<Piece>& pieces);

}  // namespace espalier::plan::composed
