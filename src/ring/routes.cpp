#include "ring/routes.hpp"

#include "ring/path_search.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace espalier::ring {
namespace {

RouteTable listed_routes(const Platform& platform) {
    RouteTable table(platform.hosts(), platform.hosts());
    for (Host from = 0; from < platform.hosts(); ++from)
        for (Host to = 0; to < platform.hosts(); ++to)
            if (to != from) table(from, to) = platform.route(from, to);
    return table;
}

}  // namespace

RouteTable widest_routes(const Platform& platform) {
    if (platform.has_routes()) return listed_routes(platform);
    const std::size_t hosts = platform.hosts();
    PathSearch search(platform, nullptr);
    std::vector<double> bandwidths;
    for (LinkId link = 0; link < platform.links(); ++link)
        bandwidths.push_back(platform.link(link).bandwidth);
    std::vector<Host> all(hosts);
    std::iota(all.begin(), all.end(), Host{0});
    std::vector<double> widths(hosts);
    PathSearch::Tree tree;
    RouteTable table(hosts, hosts);
    for (Host from = 0; from < hosts; ++from) {
        search.find_widths_from(bandwidths, from, all, widths);
        std::vector<Host> missing = all;  // the widest last
        std::erase(missing, from);
        std::ranges::sort(missing, std::less{}, [&](Host to) { return widths[to]; });
        // The best path over more links than are needed is also the best one over fewer, if it
        // happens to keep to those. Mostly one or two searches answer for all.
        while (!missing.empty()) {
            search.find_tree(bandwidths, from, PathSearch::Direction::from, widths[missing.front()],
                             tree);
            std::erase_if(missing, [&](Host to) {
                auto path = search.follow(tree, bandwidths, to, widths[to]);
                if (path) table(from, to) = *std::move(path);
                return path.has_value();
            });
        }
    }
    return table;
}

RouteTable shortest_routes(const Platform& platform) {
    if (platform.has_routes()) return listed_routes(platform);
    PathSearch search(platform, nullptr);
    const std::vector<double> unlimited(platform.links(), 1);
    PathSearch::Tree tree;
    RouteTable table(platform.hosts(), platform.hosts());
    for (Host from = 0; from < platform.hosts(); ++from) {
        search.find_tree(unlimited, from, PathSearch::Direction::from, 1, tree);
        for (Host to = 0; to < platform.hosts(); ++to)
            if (to != from) table(from, to) = *search.follow(tree, unlimited, to, 1);
    }
    return table;
}

}  // namespace espalier::ring
