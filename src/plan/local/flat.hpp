#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// The root sends the message to every other node, one after the other (steffenel-2006 Table 1).
[[nodiscard]] Strategy flat();
/// The same, each send prepared by a request and an answer; the root asks everyone first.
[[nodiscard]] Strategy flat_rendezvous();
/// The same in segments: the root sends a segment to everyone before the next segment.
[[nodiscard]] Strategy flat_segmented();

}  // namespace espalier::plan::local
