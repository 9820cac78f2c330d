#pragma once

#include "plan/local/problem.hpp"

namespace espalier::plan::local {

/// Each node passes the whole message on to the next (steffenel-2006 Table 1).
[[nodiscard]] Strategy chain();
/// The same, each hop prepared by a request and an answer once the message is there to be sent.
[[nodiscard]] Strategy chain_rendezvous();
/// A pipeline: each node passes a segment on while it receives the next one.
[[nodiscard]] Strategy chain_segmented();

}  // namespace espalier::plan::local
