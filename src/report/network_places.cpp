#include "report/network_places.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::report {

namespace {

using overview::Overview;

constexpr std::size_t most_groups = 60;
constexpr std::size_t most_joined = 10;
constexpr double wide = 760;  // pixels
constexpr double high = 430;

/// The mean latency of both directions; nullopt if neither is known.
std::optional<double> latency_between(const Overview& overview, std::size_t a, std::size_t b) {
    const auto& there = overview.latencies(a, b);
    const auto& back = overview.latencies(b, a);
    if (there && back) return (*there + *back) / 2;
    return there ? there : back;
}

/// Distances for the map: what is not known is as far as what is farthest.
Matrix<double> distances(const Overview& overview, const std::vector<std::size_t>& groups) {
    const std::size_t size = groups.size();
    Matrix<double> distance(size, size, 0);
    double farthest = 0;
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
            if (const auto latency = latency_between(overview, groups[i], groups[j]);
                i != j && latency)
                farthest = std::max(farthest, distance(i, j) = std::sqrt(*latency));
    if (farthest == 0) farthest = 1;
    constexpr double nearest = 0.02;
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            const bool known = latency_between(overview, groups[i], groups[j]).has_value();
            distance(i, j) = known ? std::max(distance(i, j), nearest * farthest) : farthest;
        }
    return distance;
}

/// Moves and scales points so that they fill the page, then apart so that discs have room.
void fit(std::vector<Point>& points, const std::vector<double>& radii, double width,
         double height) {
    const auto bounds = [&] {
        Point least{infinity, infinity};
        Point most{-infinity, -infinity};
        for (const Point& p : points) {
            least = {std::min(least.x, p.x), std::min(least.y, p.y)};
            most = {std::max(most.x, p.x), std::max(most.y, p.y)};
        }
        return std::pair(least, most);
    };
    const auto [least, most] = bounds();
    const double scale = std::min(width / std::max(most.x - least.x, 1e-9),
                                  height / std::max(most.y - least.y, 1e-9));
    for (Point& p : points) p = {(p.x - least.x) * scale, (p.y - least.y) * scale};
    separate(points, radii);
    const auto [corner, ignored] = bounds();
    for (Point& p : points) p = {p.x - corner.x, p.y - corner.y};
}

/// A shortest tree of latencies (Prim); those that nothing is known of stay alone.
std::vector<NetworkPlaces::Edge> tree(const Overview& overview,
                                      const std::vector<std::size_t>& groups) {
    const std::size_t size = groups.size();
    std::vector<double> reach(size, infinity);
    std::vector<std::size_t> from(size, 0);
    std::vector<char> done(size, 0);
    std::vector<NetworkPlaces::Edge> edges;
    for (std::size_t step = 0; step < size; ++step) {
        std::size_t next = size;
        for (std::size_t i = 0; i < size; ++i)
            if (done[i] == 0 && (next == size || reach[i] < reach[next])) next = i;
        done[next] = 1;
        if (reach[next] < infinity) edges.push_back({from[next], next});
        for (std::size_t i = 0; i < size; ++i) {
            const auto latency = latency_between(overview, groups[next], groups[i]);
            if (done[i] != 0 || !latency || *latency >= reach[i]) continue;
            reach[i] = *latency;
            from[i] = next;
        }
    }
    return edges;
}

NetworkPlaces places_of_groups(const Overview& overview) {
    const std::vector<std::size_t> groups = largest_groups(overview, most_groups);
    NetworkPlaces places;
    places.every_pair = groups.size() <= most_joined;
    std::vector<double> radii;
    std::vector<Point> points(groups.size());
    constexpr double largest_radius = 30;
    const double room = groups.size() > 20 ? 12 : 26;  // for labels
    for (const std::size_t group : groups) {
        const double radius = 6 + 3 * std::sqrt(static_cast<double>(overview.groups[group].nodes));
        places.spots.push_back({{}, std::min(radius, largest_radius), group});
        radii.push_back(places.spots.back().radius + room);
    }
    if (overview.has_pairs()) points = layout(distances(overview, groups));
    fit(points, radii, wide, high);
    for (std::size_t i = 0; i < points.size(); ++i) places.spots[i].at = points[i];
    if (!overview.has_pairs()) return places;
    if (!places.every_pair) {
        places.edges = tree(overview, groups);
        return places;
    }
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (std::size_t j = i + 1; j < groups.size(); ++j)
            if (latency_between(overview, groups[i], groups[j])) places.edges.push_back({i, j});
    return places;
}

NetworkPlaces places_of_wires(const Overview& overview) {
    NetworkPlaces places;
    places.wires = true;
    LayoutGraph graph;
    graph.vertices = overview.groups.size() + overview.routers.size();
    for (std::size_t w = 0; w < overview.wires.size(); ++w) {
        graph.edges.push_back({overview.wires[w].from, overview.wires[w].to});
        places.edges.push_back({overview.wires[w].from, overview.wires[w].to, w});
    }
    std::vector<Point> points = layout(graph);
    std::vector<double> radii;
    for (std::size_t v = 0; v < graph.vertices; ++v) {
        places.spots.push_back({{}, v < overview.groups.size() ? 7.0 : 4.0, v});
        radii.push_back(places.spots.back().radius + 9);
    }
    // A graph of many vertices needs a larger page.
    const double factor = std::max(0.6, std::sqrt(static_cast<double>(graph.vertices) / 40));
    fit(points, radii, factor * wide, factor * high);
    for (std::size_t v = 0; v < points.size(); ++v) places.spots[v].at = points[v];
    return places;
}

}  // namespace

NetworkPlaces network_places(const Overview& overview) {
    return overview.wires.empty() ? places_of_groups(overview) : places_of_wires(overview);
}

std::vector<Point> hull_of(std::vector<Point> points) {
    std::ranges::sort(points, [](const Point& a, const Point& b) {
        return a.x < b.x || (a.x == b.x && a.y < b.y);
    });
    if (points.size() < 3) return points;
    std::vector<Point> hull;
    // The lower side, then the upper one on the way back (monotone chain, Andrew 1979).
    for (const bool back : {false, true}) {
        const std::size_t begin = hull.size();
        for (const Point& p : points) {
            while (hull.size() > begin + 1) {
                const Point& a = hull[hull.size() - 2];
                const Point& b = hull.back();
                if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
                hull.pop_back();
            }
            hull.push_back(p);
        }
        hull.pop_back();
        if (!back) std::ranges::reverse(points);
    }
    return hull;
}

}  // namespace espalier::report
