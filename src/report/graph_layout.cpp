#include "report/graph_layout.hpp"

#include "core/infinity.hpp"
#include "core/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>
#include <set>

namespace espalier::report {

namespace {

constexpr double unreached = infinity;
constexpr std::size_t most_for_stress = 3000;

struct Arc {
    std::size_t to = 0;
    double length = 0;
};
using Arcs = std::vector<std::vector<Arc>>;

/// Neighbours, each once. Edges between vertices of many neighbours are longer: these need room.
Arcs arcs_of(const LayoutGraph& graph) {
    std::vector<std::set<std::size_t>> neighbours(graph.vertices);
    for (const auto& [a, b] : graph.edges) {
        if (a == b) continue;
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    Arcs arcs(graph.vertices);
    for (std::size_t v = 0; v < graph.vertices; ++v)
        for (const std::size_t to : neighbours[v]) {
            const double crowd =
                static_cast<double>(std::min(neighbours[v].size(), neighbours[to].size()));
            arcs[v].push_back({to, std::sqrt(crowd)});
        }
    return arcs;
}

std::vector<double> distances_from(const Arcs& arcs, std::size_t start) {
    std::vector<double> distance(arcs.size(), unreached);
    using Entry = std::pair<double, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    distance[start] = 0;
    open.emplace(0, start);
    while (!open.empty()) {
        const auto [reached, v] = open.top();
        open.pop();
        if (reached > distance[v]) continue;
        for (const Arc& arc : arcs[v]) {
            const double along = reached + arc.length;
            if (along >= distance[arc.to]) continue;
            distance[arc.to] = along;
            open.emplace(along, arc.to);
        }
    }
    return distance;
}

/// A tree over each part of the graph, drawn from its root outwards: each branch has an angle as
/// wide as it has leaves.
class RadialTree {
public:
    RadialTree(const Arcs& arcs, std::size_t root)
        : arcs_(arcs), points_(arcs.size()), children_(arcs.size()), leaves_(arcs.size(), 0) {
        std::vector<char> seen(arcs.size(), 0);
        grow(root, seen);
        for (std::size_t v = 0; v < arcs.size(); ++v)
            if (seen[v] == 0) {
                children_[root].push_back(v);
                grow(v, seen);
            }
        count_leaves(root);
        place(root, 0, 2 * std::numbers::pi, 0);
    }
    [[nodiscard]] std::vector<Point> points() && { return std::move(points_); }

private:
    void grow(std::size_t root, std::vector<char>& seen) {
        std::queue<std::size_t> open;
        open.push(root);
        seen[root] = 1;
        while (!open.empty()) {
            const std::size_t v = open.front();
            open.pop();
            order_.push_back(v);
            for (const Arc& arc : arcs_[v])
                if (seen[arc.to] == 0) {
                    seen[arc.to] = 1;
                    children_[v].push_back(arc.to);
                    open.push(arc.to);
                }
        }
    }
    void count_leaves(std::size_t root) {
        // Children come after their parents, but for the roots of other parts.
        for (std::size_t i = order_.size(); i-- > 0;) {
            const std::size_t v = order_[i];
            if (v == root) continue;
            for (const std::size_t child : children_[v]) leaves_[v] += leaves_[child];
            leaves_[v] = std::max(leaves_[v], 1.0);
        }
        for (const std::size_t child : children_[root]) leaves_[root] += leaves_[child];
    }
    void place(std::size_t root, double from, double to, double radius) {
        struct Wedge {
            std::size_t vertex;
            double from;
            double to;
            double radius;
        };
        std::vector<Wedge> open{{root, from, to, radius}};
        while (!open.empty()) {
            const Wedge wedge = open.back();
            open.pop_back();
            const double middle = (wedge.from + wedge.to) / 2;
            points_[wedge.vertex] = {wedge.radius * std::cos(middle),
                                     wedge.radius * std::sin(middle)};
            double begin = wedge.from;
            double total = 0;
            for (const std::size_t child : children_[wedge.vertex]) total += leaves_[child];
            for (const std::size_t child : children_[wedge.vertex]) {
                const double end = begin + (wedge.to - wedge.from) * leaves_[child] / total;
                open.push_back({child, begin, end, wedge.radius + 1});
                begin = end;
            }
        }
    }

    const Arcs& arcs_;
    std::vector<Point> points_;
    std::vector<std::vector<std::size_t>> children_;
    std::vector<double> leaves_;
    std::vector<std::size_t> order_;
};

/// The distances between all pairs; parts of the graph stand apart by more than each is wide.
Matrix<double> all_distances(const Arcs& arcs) {
    Matrix<double> distance(arcs.size(), arcs.size());
    double longest = 0;
    for (std::size_t v = 0; v < arcs.size(); ++v) {
        const std::vector<double> row = distances_from(arcs, v);
        for (std::size_t u = 0; u < arcs.size(); ++u) {
            distance(v, u) = row[u];
            if (row[u] != unreached) longest = std::max(longest, row[u]);
        }
    }
    for (std::size_t v = 0; v < arcs.size(); ++v)
        for (std::size_t u = 0; u < arcs.size(); ++u)
            if (distance(v, u) == unreached) distance(v, u) = longest + 2;
    return distance;
}

/// The vertex from which the sum of distances is least.
std::size_t middle_of(const Matrix<double>& distance) {
    std::size_t best = 0;
    double least = unreached;
    for (std::size_t v = 0; v < distance.rows(); ++v) {
        double sum = 0;
        for (const double length : distance.row(v)) sum += length;
        if (sum >= least) continue;
        least = sum;
        best = v;
    }
    return best;
}

/// Moves each vertex in turn to where the others want it, each at the graph's distance, near ones
/// counting more.
void relax(std::vector<Point>& points, const Matrix<double>& distance) {
    const std::size_t size = points.size();
    const auto pairs = static_cast<double>(size * size);
    const int rounds = static_cast<int>(std::clamp(2e8 / pairs, 20.0, 300.0));
    for (int round = 0; round < rounds; ++round) {
        double moved = 0;
        for (std::size_t v = 0; v < size; ++v) {
            Point sum;
            double weights = 0;
            for (std::size_t u = 0; u < size; ++u) {
                if (u == v) continue;
                const double wanted = distance(v, u);
                const double weight = 1 / (wanted * wanted);
                const double dx = points[v].x - points[u].x;
                const double dy = points[v].y - points[u].y;
                const double apart = std::max(std::hypot(dx, dy), 1e-9);
                sum.x += weight * (points[u].x + wanted * dx / apart);
                sum.y += weight * (points[u].y + wanted * dy / apart);
                weights += weight;
            }
            if (weights == 0) continue;
            const Point next{sum.x / weights, sum.y / weights};
            moved =
                std::max({moved, std::abs(next.x - points[v].x), std::abs(next.y - points[v].y)});
            points[v] = next;
        }
        if (moved < 1e-3) break;
    }
}

/// The stress: how far distances in the plane are from those in the graph.
double stress_of(const std::vector<Point>& points, const Matrix<double>& distance) {
    double sum = 0;
    for (std::size_t v = 0; v < points.size(); ++v)
        for (std::size_t u = 0; u < v; ++u) {
            const double apart = std::hypot(points[v].x - points[u].x, points[v].y - points[u].y);
            sum += (apart / distance(v, u) - 1) * (apart / distance(v, u) - 1);
        }
    return sum;
}

/// The positions of points whose distances are the graph's, seen from the side from which they are
/// spread the most (classical scaling; its two vectors by power iteration). Loops come out round,
/// which a tree does not see; leaves of one star fall together.
class Scaling {
public:
    explicit Scaling(const Matrix<double>& distance) : products_(distance.rows(), distance.rows()) {
        const std::size_t size = distance.rows();
        std::vector<double> means(size, 0);
        double mean = 0;
        const auto square = [&](std::size_t v, std::size_t u) {
            return distance(v, u) * distance(v, u);
        };
        for (std::size_t v = 0; v < size; ++v) {
            for (std::size_t u = 0; u < size; ++u)
                means[v] += square(v, u) / static_cast<double>(size);
            mean += means[v] / static_cast<double>(size);
        }
        for (std::size_t v = 0; v < size; ++v)
            for (std::size_t u = 0; u < size; ++u)
                products_(v, u) = (means[v] + means[u] - mean - square(v, u)) / 2;
    }

    [[nodiscard]] std::vector<Point> points() {
        const std::vector<double> x = next_axis(0.7);
        const std::vector<double> y = next_axis(1.3);
        std::vector<Point> points(x.size());
        for (std::size_t v = 0; v < points.size(); ++v) points[v] = {x[v], y[v]};
        return points;
    }

private:
    /// The vector of greatest eigenvalue, as long as its root; taken out of the products.
    std::vector<double> next_axis(double start) {
        constexpr int rounds = 60;
        const std::size_t size = products_.rows();
        std::vector<double> axis(size);
        for (std::size_t v = 0; v < size; ++v)
            axis[v] = std::sin(start * static_cast<double>(v + 1));
        double value = 0;
        for (int round = 0; round < rounds; ++round) {
            double length = 0;
            for (const double part : axis) length += part * part;
            length = std::max(std::sqrt(length), 1e-12);
            std::vector<double> next(size, 0);
            value = 0;
            for (std::size_t v = 0; v < size; ++v) {
                for (std::size_t u = 0; u < size; ++u)
                    next[v] += products_(v, u) * axis[u] / length;
                value += next[v] * axis[v] / length;
            }
            axis = std::move(next);
        }
        double length = 0;
        for (const double part : axis) length += part * part;
        length = std::max(std::sqrt(length), 1e-12);
        for (double& part : axis) part /= length;
        for (std::size_t v = 0; v < size; ++v)
            for (std::size_t u = 0; u < size; ++u) products_(v, u) -= value * axis[v] * axis[u];
        for (double& part : axis) part *= std::sqrt(std::max(value, 0.0));
        return axis;
    }

    Matrix<double> products_;
};

/// Turns the picture so that it is wider than it is high.
void lay_flat(std::vector<Point>& points) {
    Point mean;
    for (const Point& p : points) {
        mean.x += p.x / static_cast<double>(points.size());
        mean.y += p.y / static_cast<double>(points.size());
    }
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (const Point& p : points) {
        xx += (p.x - mean.x) * (p.x - mean.x);
        xy += (p.x - mean.x) * (p.y - mean.y);
        yy += (p.y - mean.y) * (p.y - mean.y);
    }
    const double angle = std::atan2(2 * xy, xx - yy) / 2;
    for (Point& p : points) {
        const double x = p.x - mean.x;
        const double y = p.y - mean.y;
        p = {x * std::cos(angle) + y * std::sin(angle), y * std::cos(angle) - x * std::sin(angle)};
    }
}

}  // namespace

std::vector<Point> layout(const LayoutGraph& graph) {
    if (graph.vertices == 0) return {};
    const Arcs arcs = arcs_of(graph);
    if (graph.vertices > most_for_stress) return RadialTree(arcs, 0).points();
    const Matrix<double> distance = all_distances(arcs);
    std::vector<Point> points = RadialTree(arcs, middle_of(distance)).points();
    std::vector<Point> others = Scaling(distance).points();
    for (std::size_t v = 0; v < points.size(); ++v) {
        constexpr double apart = 0.05;
        others[v].x += apart * points[v].x;
        others[v].y += apart * points[v].y;
    }
    relax(points, distance);
    relax(others, distance);
    if (stress_of(others, distance) < stress_of(points, distance)) points = std::move(others);
    lay_flat(points);
    return points;
}

std::vector<Point> layout(const Matrix<double>& distance) {
    std::vector<Point> points = Scaling(distance).points();
    relax(points, distance);
    lay_flat(points);
    return points;
}

void separate(std::vector<Point>& points, const std::vector<double>& radii) {
    constexpr int rounds = 100;
    for (int round = 0; round < rounds; ++round) {
        bool moved = false;
        for (std::size_t v = 0; v < points.size(); ++v)
            for (std::size_t u = 0; u < v; ++u) {
                const double wanted = radii[v] + radii[u];
                double dx = points[v].x - points[u].x;
                double dy = points[v].y - points[u].y;
                double apart = std::hypot(dx, dy);
                if (apart >= wanted) continue;
                if (apart < 1e-6) {
                    dx = 1;
                    dy = 0;
                    apart = 1;
                }
                const double push = (wanted - apart) / 2;
                points[v].x += push * dx / apart;
                points[v].y += push * dy / apart;
                points[u].x -= push * dx / apart;
                points[u].y -= push * dy / apart;
                moved = true;
            }
        if (!moved) break;
    }
}

}  // namespace espalier::report
