#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// A long message, or the long blocks of an all-gather or reduce-scatter, over one tree or over 2,
/// 4, ... at once, for each block its own, which any rank may relay for and which differ from rank
/// to rank: the deepest way of a segment plus what the busiest port or shared capacity has to carry
/// is as short as a search makes it. Each carries an equal part, segment after segment; where nodes
/// have several ports, deeper trees carry theirs faster, so that all are done at the same time.
///
/// None for messages too short to be cut, where blocks have to go direct, and for more ranks than
/// the meter affords trees of all pairs of.
[[nodiscard]] std::vector<schedule::Schedule> packed(const Problem& problem, Meter& meter);

}  // namespace espalier::plan::composed
