#include "report/ring_picture.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace espalier::report {

namespace {

using network::LinksNetwork;
using Edge = RingPicture::Edge;
using Strand = RingPicture::Strand;
using Vertex = RingPicture::Vertex;
using What = RingPicture::What;

constexpr double unit = 46;         // pixels that a short edge takes
constexpr double widest_disc = 18;  // of the host with the greatest share
constexpr double least_disc = 2.5;
constexpr double idle_radius = 4.5;
constexpr double parallel_distance = 11;
constexpr double margin = 46;
/// If there are more links than this for each vertex, unused ones are not drawn.
constexpr std::size_t many_links = 4;

class Builder {
public:
    Builder(const schedule::Ring& ring, const LinksNetwork& network)
        : ring_(ring), network_(network) {
        picture_.use = link_use(ring, network);
    }

    RingPicture build() {
        add_nodes();
        add_edges();
        add_strands();
        drop_unused();
        place();
        spread_parallels();
        order_lanes();
        return std::move(picture_);
    }

private:
    void add_nodes() {
        std::vector<char> joined(network_.nodes.size(), 0);
        for (const auto& link : network_.links)
            if (link.ends) joined[link.ends->from] = joined[link.ends->to] = 1;
        double greatest = 0;
        for (const double share : ring_.shares) greatest = std::max(greatest, share);
        vertex_of_.resize(network_.nodes.size());
        for (std::size_t node = 0; node < network_.nodes.size(); ++node) {
            const bool is_host = network_.nodes[node].cycle_time.has_value();
            if (!is_host && joined[node] == 0) continue;
            Vertex vertex{is_host ? What::host : What::router,
                          node,
                          {},
                          is_host ? idle_radius : 3,
                          std::nullopt};
            const auto found = std::ranges::find(ring_.order, node);
            if (found != ring_.order.end()) {
                vertex.place = static_cast<std::size_t>(found - ring_.order.begin());
                vertex.radius = std::max(
                    least_disc, widest_disc * std::sqrt(ring_.shares[*vertex.place] / greatest));
            }
            vertex_of_[node] = picture_.vertices.size();
            picture_.vertices.push_back(vertex);
        }
    }

    void add_edges() {
        for (std::size_t id = 0; id < network_.links.size(); ++id) {
            edge_of_.push_back(picture_.edges.size());
            if (const auto& ends = network_.links[id].ends)
                picture_.edges.push_back({vertex_of_[ends->from], vertex_of_[ends->to], id});
        }
        for (const auto& route : network_.routes) (void)steps_of(route.from, route.to, route.links);
    }

    /// The edges that a path takes; those from and to links without ends are made when they are
    /// first needed.
    std::vector<Strand::Step> steps_of(std::size_t from, std::size_t to,
                                       const std::vector<std::size_t>& links) {
        std::vector<Strand::Step> steps;
        std::size_t at = vertex_of_[from];
        const auto go_to = [&](std::size_t vertex) {
            if (at != vertex) steps.push_back(step_between(at, vertex));
            at = vertex;
        };
        for (const std::size_t id : links) {
            if (!network_.links[id].ends) {
                go_to(square_of(id));
                continue;
            }
            const Edge& edge = picture_.edges[edge_of_[id]];
            const std::size_t a = edge.a;
            const std::size_t b = edge.b;
            if (at != a && at != b) go_to(a);
            const bool along = at == a;
            steps.push_back({edge_of_[id], along, 0});
            at = along ? b : a;
        }
        go_to(vertex_of_[to]);
        return steps;
    }

    std::size_t square_of(std::size_t link) {
        const auto [found, is_new] = squares_.emplace(link, picture_.vertices.size());
        if (is_new) picture_.vertices.push_back({What::link, link, {}, 4, std::nullopt});
        return found->second;
    }

    Strand::Step step_between(std::size_t a, std::size_t b) {
        const auto key = std::minmax(a, b);
        const auto [found, is_new] = between_.emplace(key, picture_.edges.size());
        if (is_new) picture_.edges.push_back({key.first, key.second, std::nullopt});
        return {found->second, a == key.first, 0};
    }

    void add_strands() {
        const auto trace = [&](std::size_t p) {
            const auto& path = ring_.paths[p];
            return Strand{p, steps_of(path.from, path.to, path.links), p % 2 == 1};
        };
        const std::size_t size = ring_.order.size();
        for (std::size_t place = 0; place < size && !ring_.paths.empty(); ++place) {
            picture_.strands.push_back(trace(2 * place));
            Strand back = trace(2 * ((place + 1) % size) + 1);
            std::vector<std::size_t> there = vertices_along(picture_.strands.back());
            std::reverse(there.begin(), there.end());
            if (vertices_along(back) != there) picture_.strands.push_back(std::move(back));
        }
    }

    [[nodiscard]] std::vector<std::size_t> vertices_along(const Strand& strand) const {
        std::vector<std::size_t> out;
        for (const Strand::Step& step : strand.steps) {
            const Edge& edge = picture_.edges[step.edge];
            if (out.empty()) out.push_back(step.along ? edge.a : edge.b);
            out.push_back(step.along ? edge.b : edge.a);
        }
        return out;
    }

    /// Drops unused links if almost every pair has a link of its own, since nobody could tell them
    /// apart.
    void drop_unused() {
        if (picture_.edges.size() <= many_links * picture_.vertices.size()) return;
        std::vector<char> used(picture_.edges.size(), 0);
        for (const Strand& strand : picture_.strands)
            for (const Strand::Step& step : strand.steps) used[step.edge] = 1;
        for (std::size_t e = 0; e < used.size(); ++e)
            if (const auto link = picture_.edges[e].link; link && picture_.use[*link].paths > 0)
                used[e] = 1;
        std::vector<Edge> kept;
        std::vector<std::size_t> number(picture_.edges.size(), 0);
        for (std::size_t e = 0; e < used.size(); ++e) {
            if (used[e] == 0) {
                if (picture_.edges[e].link) ++picture_.links_omitted;
                continue;
            }
            number[e] = kept.size();
            kept.push_back(picture_.edges[e]);
        }
        picture_.edges = std::move(kept);
        for (Strand& strand : picture_.strands)
            for (Strand::Step& step : strand.steps) step.edge = number[step.edge];
    }

    void place() {
        auto& vertices = picture_.vertices;
        std::vector<Point> points = picture_.links_omitted > 0 ? on_a_circle() : on_the_graph();
        std::vector<double> room;
        for (const Vertex& vertex : vertices)
            room.push_back(vertex.what == What::router ? 9 : vertex.radius + 9);
        separate(points, room);
        Point least = points.front();
        Point most = points.front();
        for (const Point& p : points) {
            least = {std::min(least.x, p.x), std::min(least.y, p.y)};
            most = {std::max(most.x, p.x), std::max(most.y, p.y)};
        }
        for (std::size_t v = 0; v < vertices.size(); ++v)
            vertices[v].at = {points[v].x - least.x + margin, points[v].y - least.y + margin};
        picture_.width = most.x - least.x + 2 * margin;
        picture_.height = most.y - least.y + 2 * margin;
    }

    [[nodiscard]] std::vector<Point> on_the_graph() const {
        LayoutGraph graph{picture_.vertices.size(), {}};
        for (const Edge& edge : picture_.edges) graph.edges.push_back({edge.a, edge.b});
        std::vector<Point> points = layout(graph);
        for (Point& p : points) p = {p.x * unit, p.y * unit};
        return points;
    }

    /// Points of a circle for the hosts of the ring, in its order, and further in for all others.
    [[nodiscard]] std::vector<Point> on_a_circle() const {
        const auto ring = static_cast<double>(ring_.order.size());
        const double others = static_cast<double>(picture_.vertices.size()) - ring;
        const double inner = others * 30 / (2 * std::numbers::pi);
        const double outer =
            std::max({ring * unit / (2 * std::numbers::pi), inner + unit, 1.5 * unit});
        std::vector<Point> points;
        double other = 0;
        for (const Vertex& vertex : picture_.vertices) {
            const double part =
                vertex.place ? static_cast<double>(*vertex.place) / ring : other++ / others;
            const double angle = 2 * std::numbers::pi * part - std::numbers::pi / 2;
            const double radius = vertex.place ? outer : inner;
            points.push_back({radius * std::cos(angle), radius * std::sin(angle)});
        }
        return points;
    }

    /// Spreads links that join the same two vertices side by side.
    void spread_parallels() {
        std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> bundles;
        for (std::size_t e = 0; e < picture_.edges.size(); ++e)
            bundles[std::minmax(picture_.edges[e].a, picture_.edges[e].b)].push_back(e);
        for (const auto& [ends, bundle] : bundles)
            for (std::size_t i = 0; i < bundle.size(); ++i) {
                Edge& edge = picture_.edges[bundle[i]];
                const double shift =
                    parallel_distance *
                    (static_cast<double>(i) - static_cast<double>(bundle.size() - 1) / 2);
                edge.shift = edge.a == ends.first ? shift : -shift;
            }
    }

    /// A strand as it is followed from an edge onwards, one way or the other.
    struct Walk {
        const std::vector<std::size_t>* vertices;
        std::size_t at;  ///< index into vertices
        bool forwards;

        [[nodiscard]] std::optional<std::size_t> next() const {
            if (forwards ? at + 1 == vertices->size() : at == 0) return std::nullopt;
            return (*vertices)[forwards ? at + 1 : at - 1];
        }
        void go() { at = forwards ? at + 1 : at - 1; }
    };

    /// The angle by which `to` lies to the right of a path that goes on from `from` through `at`; 0
    /// where the path ends.
    [[nodiscard]] double turn(std::size_t from, std::size_t at,
                              std::optional<std::size_t> to) const {
        if (!to) return 0;
        const Point& a = picture_.vertices[from].at;
        const Point& b = picture_.vertices[at].at;
        const Point& c = picture_.vertices[*to].at;
        const double ahead = std::atan2(b.y - a.y, b.x - a.x);
        const double next = std::atan2(c.y - b.y, c.x - b.x);
        return std::remainder(next - ahead, 2 * std::numbers::pi);
    }

    struct Parting {
        std::size_t vertex = 0;
        double right = 0;  ///< how much further to the right the first one goes on
    };
    /// The vertex at which two strands that came to a vertex from `from` part.
    [[nodiscard]] Parting parting(std::size_t from, Walk first, Walk second) const {
        while (true) {
            const std::size_t at = (*first.vertices)[first.at];
            const auto one = first.next();
            const auto other = second.next();
            if (one != other) return {at, turn(from, at, one) - turn(from, at, other)};
            if (!one) return {at, 0};
            from = at;
            first.go();
            second.go();
        }
    }

    struct Lane {
        std::size_t strand = 0;
        std::size_t step = 0;
        bool along = true;
        std::size_t to_the_left = 0;  ///< lanes that are
    };

    /// Whether one lane of an edge belongs to the right of another one. One end of the stretch that
    /// they share decides, the same one everywhere on it: there they need not cross.
    [[nodiscard]] bool is_right_of(const Edge& edge, const Lane& first, const Lane& second) const {
        const auto walk = [&](const Lane& lane, bool ahead) {
            const bool forwards = lane.along == ahead;
            return Walk{&vertices_of_[lane.strand], forwards ? lane.step + 1 : lane.step, forwards};
        };
        const Parting ahead = parting(edge.a, walk(first, true), walk(second, true));
        const Parting behind = parting(edge.b, walk(first, false), walk(second, false));
        const bool by_ahead =
            behind.right == 0 || (ahead.right != 0 && ahead.vertex < behind.vertex);
        return by_ahead ? ahead.right > 0 : behind.right < 0;
    }

    /// Puts the lanes of an edge beside each other in the order of where they come from and go to,
    /// so that few cross.
    void order_lanes() {
        std::vector<std::vector<Lane>> lanes(picture_.edges.size());
        for (std::size_t s = 0; s < picture_.strands.size(); ++s) {
            vertices_of_.push_back(vertices_along(picture_.strands[s]));
            const auto& steps = picture_.strands[s].steps;
            for (std::size_t i = 0; i < steps.size(); ++i)
                lanes[steps[i].edge].push_back({s, i, steps[i].along, 0});
        }
        for (std::size_t e = 0; e < lanes.size(); ++e) {
            auto& bundle = lanes[e];
            picture_.edges[e].lanes = bundle.size();
            for (Lane& lane : bundle)
                for (const Lane& other : bundle)
                    if (&lane != &other && is_right_of(picture_.edges[e], lane, other))
                        ++lane.to_the_left;
            std::ranges::stable_sort(bundle, {}, &Lane::to_the_left);
            const double middle = (static_cast<double>(bundle.size()) - 1) / 2;
            for (std::size_t i = 0; i < bundle.size(); ++i)
                picture_.strands[bundle[i].strand].steps[bundle[i].step].lane =
                    RingPicture::lane_width * (static_cast<double>(i) - middle);
        }
    }

    const schedule::Ring& ring_;
    const LinksNetwork& network_;
    RingPicture picture_;
    std::vector<std::size_t> vertex_of_;                 ///< of each node
    std::vector<std::size_t> edge_of_;                   ///< of each link with ends
    std::vector<std::vector<std::size_t>> vertices_of_;  ///< vertices, of each strand
    std::map<std::size_t, std::size_t> squares_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> between_;
};

/// A point beside a vertex, `offset` to the right of a -> b (y grows downwards).
Point beside(Point at, Point a, Point b, double offset) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double length = std::max(std::hypot(dx, dy), 1e-9);
    return {at.x - offset * dy / length, at.y + offset * dx / length};
}

}  // namespace

Point RingPicture::start_of(const Edge& edge, double offset) const {
    const Point a = vertices[edge.a].at;
    return beside(a, a, vertices[edge.b].at, edge.shift + offset);
}

Point RingPicture::end_of(const Edge& edge, double offset) const {
    const Point b = vertices[edge.b].at;
    return beside(b, vertices[edge.a].at, b, edge.shift + offset);
}

RingPicture picture_of(const schedule::Ring& ring, const network::LinksNetwork& network) {
    return Builder(ring, network).build();
}

}  // namespace espalier::report
