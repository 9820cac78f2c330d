#pragma once

#include "core/units.hpp"
#include "importers/imported.hpp"
#include "importers/xml.hpp"

#include <optional>

namespace espalier::importers {

/// Values for what a file of the Internet Topology Zoo does not say.
struct GraphmlOptions {
    BytesPerSecond speed{1.25e9};  ///< of a link that states none
    Seconds latency{1e-3};         ///< of a link between nodes of which one has no coordinates
    std::optional<double> cycle_time = 1;  ///< of each host; none: all nodes are routers
};

/// Whether the file's root element is GraphML's.
[[nodiscard]] bool is_graphml(const XmlFile& file);

/// A physical network from GraphML, with the attributes of the Internet Topology Zoo: of nodes
/// `label`, `Latitude`, `Longitude`, `Internal` and `hyperedge`, of edges `LinkSpeedRaw` (bit/s) or
/// `LinkSpeed` with `LinkSpeedUnits` (K, M, G or T). Every node is a host but for external ones
/// (Internal is 0) and hyperedges, which are routers. An undirected edge becomes a bidirectional
/// link, a directed one a directed link, in bytes/s; parallel edges are kept. Its latency is that
/// of light in fibre, two thirds of c, along the great circle between its ends. Labels that are
/// used again get `#2`, `#3`, …; a node without one is named `node-` and its id. Self-loops and
/// nodes without links are left out. Throws InputError naming file and line for what is not GraphML
/// or not supported (nested graphs, hyperedge elements, ports), ids used twice, edges to nodes that
/// do not exist, numbers that are none or out of range.
[[nodiscard]] Imported read_graphml(const XmlFile& file, const GraphmlOptions& options = {});

/// Metres between two places on a sphere of the Earth's mean radius; in degrees.
[[nodiscard]] double great_circle(double latitude_a, double longitude_a, double latitude_b,
                                  double longitude_b);

}  // namespace espalier::importers
