#pragma once

#include "overview/overview.hpp"
#include "report/graph_layout.hpp"

#include <cstddef>
#include <vector>

namespace espalier::report {

/// Where a map has its groups and routers, and which of them it joins.
struct NetworkPlaces {
    struct Spot {
        Point at;
        double radius = 0;
        std::size_t id = 0;  ///< a group, or a router counted on after these
    };
    struct Edge {
        std::size_t a = 0;  ///< spots
        std::size_t b = 0;
        std::size_t wire = 0;  ///< index; of no meaning where no wires are drawn
    };
    std::vector<Spot> spots;
    std::vector<Edge> edges;
    bool wires = false;  ///< edges are physical links; else pairs of groups
    bool every_pair = true;
};

/// At most 60 groups, the largest: far from each other if their latencies are long (by the square
/// root, so that what is near can be told apart, too). Up to 10 of them are all joined, more along
/// a shortest tree of latencies. Of a physical graph all hosts, routers and links. Lengths are
/// pixels; the upper left corner of what is drawn is near (0, 0).
[[nodiscard]] NetworkPlaces network_places(const overview::Overview& overview);

/// The corners of the convex hull of points, in order.
[[nodiscard]] std::vector<Point> hull_of(std::vector<Point> points);

}  // namespace espalier::report
