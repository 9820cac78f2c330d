#pragma once

#include "testbed/topology.hpp"

#include <string>

namespace espalier::testbed {

/// A testbed from a file: a description (format `espalier-testbed`) or a network
/// (`espalier-network`; of any model but `sender`). Throws InputError with one line that names file
/// and field.
[[nodiscard]] Topology read_topology(const std::string& path);
[[nodiscard]] Topology parse_topology(const std::string& text, const std::string& source);

}  // namespace espalier::testbed
