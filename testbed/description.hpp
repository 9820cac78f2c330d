#pragma once

#include "core/json.hpp"
#include "testbed/topology.hpp"

namespace espalier::testbed {

/// Reads a description, format `espalier-testbed`: sites with uplinks that all of theirs share,
/// clusters of hosts, and latencies between them (docs/formats.md). Throws InputError.
[[nodiscard]] Topology read_description(const JsonValue& document);

}  // namespace espalier::testbed
