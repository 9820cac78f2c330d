#include "ring/widest_path.hpp"

#include "core/infinity.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

namespace espalier::ring {
namespace {
constexpr Vertex nobody = std::numeric_limits<Vertex>::max();

/// Searches from one vertex over the links that are at least so wide. The links' widths may be
/// what is left of them.
class Search {
public:
    Search(const Platform& platform, std::span<const double> left) : platform_(platform) {
        for (LinkId id = 0; id < platform.links(); ++id)
            widths_.push_back(platform.link(id).shared ? left[id] : platform.link(id).bandwidth);
    }

    /// The greatest bottleneck to each vertex; only that of `target` and of what is found before it
    /// where one is given.
    std::vector<double> bottlenecks(Vertex source, Vertex target = nobody) const {
        std::vector<double> best(platform_.vertices(), -infinity);
        best[source] = infinity;
        std::priority_queue<std::pair<double, Vertex>> open;
        open.emplace(infinity, source);
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

private:
    using Open = std::pair<std::pair<double, std::uint32_t>, Vertex>;
    struct Reached {
        double latency = infinity;
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

}  // namespace

Path widest_path(const Platform& platform, std::span<const double> left, Host from, Host to) {
    if (from == to) return {};
    if (platform.has_routes()) return platform.routes()(from, to);
    Search search(platform, left);
    const Vertex source = platform.vertex_of(from);
    const Vertex target = platform.vertex_of(to);
    search.find_shortest(source, search.bottlenecks(source, target)[target], target);
    return search.path_to(target);
}

}  // namespace espalier::ring
