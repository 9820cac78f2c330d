#pragma once

#include "core/json.hpp"
#include "network/network.hpp"

namespace espalier::network {

/// A whole document whose model is `links`. Throws InputError naming file and field.
[[nodiscard]] LinksNetwork read_links(const JsonValue& document);

/// Adds nodes, links, and routes where there are any.
void write_links(const LinksNetwork& network, Json& document);

}  // namespace espalier::network
