#pragma once

#include "core/matrix.hpp"

#include <cstddef>
#include <vector>

namespace espalier::report {

struct Point {
    double x = 0;
    double y = 0;
};

/// A graph to be drawn: vertices 0 … vertices - 1, edges in no particular direction.
struct LayoutGraph {
    struct Edge {
        std::size_t a = 0;
        std::size_t b = 0;
    };
    std::size_t vertices = 0;
    std::vector<Edge> edges;
};

/// The positions of a graph's vertices, in units of a short edge: a tree drawn from its middle
/// outwards, then moved until distances in the plane are near to those in the graph (stress
/// majorisation after Gansner, Koren and North), with its long axis across the page. The result is
/// deterministic. O(V^2) memory and O(V E log V + V^2) time; for very large graphs the tree stays
/// as it is.
[[nodiscard]] std::vector<Point> layout(const LayoutGraph& graph);

/// The positions of points whose distances (positive off the diagonal, symmetric) are given, in
/// their unit: from classical scaling on, moved likewise.
[[nodiscard]] std::vector<Point> layout(const Matrix<double>& distance);

/// Moves points apart until the discs around them, of these radii, do not overlap; or nearly so,
/// where they are very crowded.
void separate(std::vector<Point>& points, const std::vector<double>& radii);

}  // namespace espalier::report
