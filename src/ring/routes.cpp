#include "ring/routes.hpp"

#include "ring/path_search.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace espalier::ring {
namespace {

class Walk {
public:
    Walk(const Platform& platform, Vertex target, std::size_t most)
        : platform_(platform),
          target_(target),
          most_(most),
          steps_left_(1000 * (most + 1)),
          visited_(platform.vertices(), 0) {}

    /// false: there are too many.
    bool go_on_from(Vertex vertex) {
        if (vertex == target_) {
            found_.push_back(path_);
            return found_.size() <= most_;
        }
        visited_[vertex] = 1;
        for (const auto& arc : platform_.leaving(vertex)) {
            if (steps_left_ == 0) return false;
            --steps_left_;
            if (visited_[arc.to] != 0) continue;
            path_.push_back(arc.link);
            if (!go_on_from(arc.to)) return false;
            path_.pop_back();
        }
        visited_[vertex] = 0;
        return true;
    }

    std::vector<Path> take() { return std::move(found_); }

private:
    const Platform& platform_;
    Vertex target_;
    std::size_t most_;
    std::size_t steps_left_;
    std::vector<char> visited_;
    Path path_;
    std::vector<Path> found_;
};

/// The best path of each pair over links that are as wide as the widest path needs, or any.
RouteTable best_routes(const Platform& platform, bool widest) {
    if (platform.has_routes()) return platform.routes();
    const std::size_t hosts = platform.hosts();
    PathSearch search(platform, nullptr);
    const auto& bandwidths = platform.bandwidths();
    std::vector<Host> all(hosts);
    std::iota(all.begin(), all.end(), Host{0});
    std::vector<double> widths(hosts, 0);
    PathSearch::Tree tree;
    RouteTable table(hosts, hosts);
    for (Host from = 0; from < hosts; ++from) {
        if (widest) search.find_widths(bandwidths, from, PathSearch::Direction::from, all, widths);
        std::vector<Host> missing = all;  // the widest last
        std::erase(missing, from);
        std::ranges::sort(missing, std::less{}, [&](Host to) { return widths[to]; });
        // The best path over more links than are needed is also the best one over fewer, if it
        // happens to keep to those. Mostly one or two searches answer for all.
        while (!missing.empty()) {
            search.find_tree(bandwidths, from, PathSearch::Direction::from, widths[missing.front()],
                             tree);
            std::erase_if(missing, [&](Host to) {
                auto path = search.follow(tree, to, widths[to]);
                if (!path) return false;
                table(from, to) = *std::move(path);
                return true;
            });
        }
    }
    return table;
}

}  // namespace

RouteTable widest_routes(const Platform& platform) { return best_routes(platform, true); }

RouteTable shortest_routes(const Platform& platform) { return best_routes(platform, false); }

std::optional<std::vector<Path>> simple_paths(const Platform& platform, Host from, Host to,
                                              std::size_t most) {
    if (from == to) return std::vector<Path>{{}};
    if (platform.has_routes()) return std::vector<Path>{platform.routes()(from, to)};
    Walk walk(platform, platform.vertex_of(to), most);
    if (!walk.go_on_from(platform.vertex_of(from))) return std::nullopt;
    return walk.take();
}

}  // namespace espalier::ring
