#include "plan/ring/routes.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace espalier::plan::ring {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr Vertex nobody = std::numeric_limits<Vertex>::max();

/// Searches from one vertex over the links that are at least so wide. The links' widths may be
/// what is left of them.
class Search {
public:
    explicit Search(const Platform& platform) : platform_(platform) {
        for (std::size_t id = 0; id < platform.links(); ++id)
            widths_.push_back(platform.link(static_cast<LinkId>(id)).bandwidth);
    }
    Search(const Platform& platform, std::span<const double> left) : Search(platform) {
        for (std::size_t id = 0; id < platform.links(); ++id)
            if (platform.link(static_cast<LinkId>(id)).shared) widths_[id] = left[id];
    }

    /// The greatest bottleneck to each vertex; only that of `target` and of what is found before it
    /// where one is given.
    std::vector<double> bottlenecks(Vertex source, Vertex target = nobody) const {
        std::vector<double> best(platform_.vertices(), -infinite);
        best[source] = infinite;
        std::priority_queue<std::pair<double, Vertex>> open;
        open.emplace(infinite, source);
        while (!open.empty()) {
            const auto [width, vertex] = open.top();
            open.pop();
            if (vertex == target) break;
            if (width < best[vertex]) continue;
            for (const auto& arc : platform_.leaving(vertex)) {
                const double reached = std::min(width, widths_[arc.link]);
                if (reached <= best[arc.to]) continue;
                best[arc.to] = reached;
                open.emplace(reached, arc.to);
            }
        }
        return best;
    }

    /// Finds the best path to each vertex by latency, number of links and their numbers, over links
    /// of at least `width`; only that to `target` where one is given.
    void find_shortest(Vertex source, double width, Vertex target = nobody) {
        reached_.assign(platform_.vertices(), Reached{});
        reached_[source] = {0, 0, nobody, 0};
        std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
        open.push({{0, 0}, source});
        while (!open.empty()) {
            const auto [distance, vertex] = open.top();
            open.pop();
            if (vertex == target) break;
            if (distance.first > reached_[vertex].latency ||
                distance.second > reached_[vertex].links)
                continue;
            for (const auto& arc : platform_.leaving(vertex)) {
                if (widths_[arc.link] < width) continue;
                const Reached next{distance.first + platform_.link(arc.link).latency,
                                   distance.second + 1, vertex, arc.link};
                Reached& known = reached_[arc.to];
                const std::pair was{known.latency, known.links};
                const std::pair is{next.latency, next.links};
                if (is < was) {
                    known = next;
                    open.push({is, arc.to});
                } else if (is == was && has_lower_numbers(next, known)) {
                    known = next;
                }
            }
        }
    }

    /// As find_shortest() left it.
    [[nodiscard]] Path path_to(Vertex target) const {
        Path path(reached_[target].links);
        for (auto link = path.rbegin(); link != path.rend(); ++link) {
            *link = reached_[target].by;
            target = reached_[target].from;
        }
        return path;
    }
    [[nodiscard]] double width_to(Vertex target) const {
        double least = infinite;
        for (; reached_[target].from != nobody; target = reached_[target].from)
            least = std::min(least, widths_[reached_[target].by]);
        return least;
    }

private:
    using Open = std::pair<std::pair<double, std::uint32_t>, Vertex>;
    struct Reached {
        double latency = infinite;
        std::uint32_t links = std::numeric_limits<std::uint32_t>::max();
        Vertex from = nobody;
        LinkId by = 0;
    };

    /// Of two paths to one vertex with as many links each: which has the lower number where they
    /// first differ, that is, where they last differ on the way back to the vertex that both cross.
    [[nodiscard]] bool has_lower_numbers(Reached a, Reached b) const {
        bool lower = a.by < b.by;
        while (a.from != b.from) {
            a = reached_[a.from];
            b = reached_[b.from];
            if (a.by != b.by) lower = a.by < b.by;
        }
        return lower;
    }

    const Platform& platform_;
    std::vector<double> widths_;
    std::vector<Reached> reached_;
};

/// A table whose rows are filled by `fill_row(from, table)`, unless the network lists its routes.
template <typename FillRow>
RouteTable table_of(const Platform& platform, const FillRow& fill_row) {
    const std::size_t hosts = platform.hosts();
    RouteTable table(hosts, hosts);
    for (std::size_t from = 0; from < hosts; ++from) {
        const Host source = static_cast<Host>(from);
        if (!platform.has_routes()) {
            fill_row(source, table);
            continue;
        }
        for (std::size_t to = 0; to < hosts; ++to)
            if (to != from) table(from, to) = platform.route(source, static_cast<Host>(to));
    }
    return table;
}

}  // namespace

Path widest_path(const Platform& platform, std::span<const double> left, Host from, Host to) {
    if (from == to) return {};
    if (platform.has_routes()) return platform.route(from, to);
    Search search(platform, left);
    const Vertex source = platform.vertex_of(from);
    const Vertex target = platform.vertex_of(to);
    search.find_shortest(source, search.bottlenecks(source, target)[target], target);
    return search.path_to(target);
}

RouteTable widest_routes(const Platform& platform) {
    Search search(platform);
    return table_of(platform, [&](Host from, RouteTable& table) {
        const Vertex source = platform.vertex_of(from);
        const auto bottlenecks = search.bottlenecks(source);
        std::vector<Host> missing;  // the widest last
        for (Host to = 0; to < platform.hosts(); ++to)
            if (to != from) missing.push_back(to);
        const auto bottleneck = [&](Host to) { return bottlenecks[platform.vertex_of(to)]; };
        std::ranges::sort(missing, std::less{}, bottleneck);
        // The best path over more links than are needed is also the best one over fewer, if it
        // happens to keep to those. Mostly one or two searches answer for all.
        while (!missing.empty()) {
            search.find_shortest(source, bottleneck(missing.front()));
            std::erase_if(missing, [&](Host to) {
                const Vertex target = platform.vertex_of(to);
                if (search.width_to(target) < bottleneck(to)) return false;
                table(from, to) = search.path_to(target);
                return true;
            });
        }
    });
}

RouteTable shortest_routes(const Platform& platform) {
    Search search(platform);
    return table_of(platform, [&](Host from, RouteTable& table) {
        search.find_shortest(platform.vertex_of(from), -infinite);
        for (Host to = 0; to < platform.hosts(); ++to)
            if (to != from) table(from, to) = search.path_to(platform.vertex_of(to));
    });
}

}  // namespace espalier::plan::ring
