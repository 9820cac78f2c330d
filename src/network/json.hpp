#pragma once

#include "core/json.hpp"
#include "network/network.hpp"

#include <string>

namespace espalier::network {

/// Format `espalier-network`, version 1, or a run's report (`espalier-run`), which holds the
/// network that the program ran on. Throws InputError with one line that names file and field.
Network parse_network(const std::string& text, const std::string& source);
Network read_network(const JsonValue& document);
Network read_network(const std::string& path);
Json to_json(const Network& network);
/// Writes all or nothing.
void write_network(const Network& network, const std::string& path);

/// `sha256:…` of the network's canonical JSON text without `measured` and `x-` keys: two files that
/// say the same have the same.
std::string fingerprint(const Network& network);

/// A cost table as it stands in a file: a number, or an object bytes -> seconds.
CostTable read_cost_table(const JsonValue& value);
Json to_json(const CostTable& table);

}  // namespace espalier::network
