#pragma once

#include "network/network.hpp"
#include "report/graph_layout.hpp"
#include "report/ring_text.hpp"
#include "schedule/ring.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace espalier::report {

/// The positions of everything in the picture of a ring, in pixels from the top left corner of the
/// platform.
struct RingPicture {
    static constexpr double lane_width = 3.4;

    enum class What {
        host,
        router,
        link  ///< one without ends: paths lead through it
    };
    struct Vertex {
        What what = What::host;
        std::size_t id = 0;  ///< of the node or the link
        Point at;
        double radius = 0;
        std::optional<std::size_t> place;  ///< of a host in the ring
    };
    /// A link with two ends, or the joint from or to one that has none.
    struct Edge {
        std::size_t a = 0;  ///< vertices
        std::size_t b = 0;
        std::optional<std::size_t> link;
        std::size_t lanes = 0;
        double shift = 0;  ///< to the right of a -> b, of links that join the same two
    };
    /// A path of the ring. It runs beside others along an edge, each in its lane.
    struct Strand {
        struct Step {
            std::size_t edge = 0;
            bool along = true;  ///< from a to b
            double lane = 0;    ///< to the right of a -> b
        };
        std::size_t path = 0;  ///< index into the ring's paths
        std::vector<Step> steps;
        /// The path to the predecessor, where it is not the reverse of that from there.
        bool back = false;
    };

    double width = 0;
    double height = 0;
    std::vector<Vertex> vertices;
    std::vector<Edge> edges;
    std::vector<Strand> strands;
    std::vector<LinkUse> use;       ///< of each link
    std::size_t links_omitted = 0;  ///< that nothing crosses, where there are too many to draw

    /// The point at which an edge begins (or ends) at the vertex, with its shift.
    [[nodiscard]] Point start_of(const Edge& edge, double offset) const;
    [[nodiscard]] Point end_of(const Edge& edge, double offset) const;
};

/// Lays out a ring that is valid on this network.
[[nodiscard]] RingPicture picture_of(const schedule::Ring& ring,
                                     const network::LinksNetwork& network);

}  // namespace espalier::report
