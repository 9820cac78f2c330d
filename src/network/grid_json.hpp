#pragma once

#include "core/json.hpp"
#include "network/network.hpp"

namespace espalier::network {

/// The model `grid` of `espalier-network`, or the `grid` inside a cluster: clusters, links between
/// them, and what these share. Throws InputError that names file and field; unknown fields are the
/// caller's affair.
[[nodiscard]] GridNetwork read_grid(const JsonValue& document);
/// Adds the grid's fields.
void write_grid(const GridNetwork& grid, Json& document);

}  // namespace espalier::network
