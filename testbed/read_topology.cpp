#include "testbed/read_topology.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "network/json.hpp"
#include "testbed/description.hpp"
#include "testbed/from_network.hpp"

#include <fmt/format.h>

namespace espalier::testbed {

Topology parse_topology(const std::string& text, const std::string& source) {
    Json storage;
    const JsonValue document = JsonValue::parse(source, text, storage);
    if (!document.is_object()) document.fail("not an object");
    const JsonValue format = document.at("format");
    const std::string stated = format.string();
    if (stated == "espalier-network")
        return from_network(network::parse_network(text, source), source);
    if (stated != "espalier-testbed")
        format.fail(
            fmt::format("'espalier-testbed' or 'espalier-network' was expected, not '{}'", stated));
    require_format(document, "espalier-testbed");
    return read_description(document);
}

Topology read_topology(const std::string& path) { return parse_topology(read_file(path), path); }

}  // namespace espalier::testbed
