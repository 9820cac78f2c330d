#pragma once

#include "plan/composed/problem.hpp"

namespace espalier::plan::composed {

/// A broadcast, reduction or all-reduce of a long message over one tree, or over 2, 4, ... 32 at
/// once, which any rank may relay for and which differ from rank to rank: the deepest way of a
/// segment plus what the busiest port or shared capacity has to carry is as short as a search makes
/// it. Each carries an equal part, segment after segment; where nodes have several ports, deeper
/// trees carry theirs faster, so that all are done at the same time. None for messages too short to
/// be cut, and for more ranks than trees of all pairs are looked for among.
[[nodiscard]] std::vector<schedule::Schedule> packed_messages(const Problem& problem);

}  // namespace espalier::plan::composed
