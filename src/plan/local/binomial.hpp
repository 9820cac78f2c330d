#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// In every round each node that holds the message sends it to one that does not: position i serves
/// i + 2^r in round r (steffenel-2006 Table 1).
[[nodiscard]] Strategy binomial();
/// The same, each send prepared by a request and an answer; a node asks all its children first.
[[nodiscard]] Strategy binomial_rendezvous();
/// The same in segments: a node sends a segment to all its children before the next segment.
[[nodiscard]] Strategy binomial_segmented();

}  // namespace espalier::plan::local
