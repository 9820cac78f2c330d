// Routes against the enumeration of all simple paths.
#include "ring/routes.hpp"
#include "core/infinity.hpp"
#include "ring/widest_path.hpp"

#include "network/convert.hpp"
#include "ring/wandering_routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <tuple>

namespace espalier::ring {
namespace {

/// All simple paths from one vertex to another one.
class SimplePaths {
public:
    SimplePaths(const Platform& platform, Vertex from, Vertex to)
        : platform_(platform), target_(to), visited_(platform.vertices(), 0) {
        extend(from);
    }
    [[nodiscard]] const std::vector<Path>& all() const { return all_; }

private:
    void extend(Vertex vertex) {
        if (vertex == target_) {
            all_.push_back(path_);
            return;
        }
        visited_[vertex] = 1;
        for (const auto& arc : platform_.leaving(vertex)) {
            if (visited_[arc.to] != 0) continue;
            path_.push_back(arc.link);
            extend(arc.to);
            path_.pop_back();
        }
        visited_[vertex] = 0;
    }

    const Platform& platform_;
    Vertex target_;
    std::vector<char> visited_;
    Path path_;
    std::vector<Path> all_;
};

double latency_of(const Platform& platform, const Path& path) {
    double sum = 0;
    for (const LinkId link : path) sum += platform.link(link).latency;
    return sum;
}

Path best_of(const Platform& platform, const std::vector<Path>& paths,
             const std::vector<double>& widths) {
    const auto rank = [&](const Path& path) {
        double width = infinity;
        for (const LinkId link : path) width = std::min(width, widths[link]);
        return std::tuple{-width, latency_of(platform, path), path.size(), path};
    };
    return *std::ranges::min_element(
        paths, [&](const Path& a, const Path& b) { return rank(a) < rank(b); });
}

std::vector<double> bandwidths(const Platform& platform) {
    std::vector<double> widths;
    for (LinkId id = 0; id < platform.links(); ++id) widths.push_back(platform.link(id).bandwidth);
    return widths;
}

testing::PlatformRange small_range(Random& random) {
    testing::PlatformRange range;
    range.hosts = 2 + random.below(3);
    range.routers = random.below(4);
    range.more_links = random.below(7);
    range.directed = 0.4;
    range.backbone = 0.2;
    range.latencies = 1;
    range.whole = random.below(2) == 0;
    return range;
}

TEST(RingRoutes, are_the_best_of_all_simple_paths) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const Platform platform(testing::random_platform(random, small_range(random)));
        auto left = bandwidths(platform);
        for (LinkId id = 0; id < platform.links(); ++id)
            if (platform.link(id).shared && random.below(2) == 0)
                left[id] = left[id] * static_cast<double>(random.below(3)) / 2;
        auto given = left;  // what is said of backbones must not count
        for (LinkId id = 0; id < platform.links(); ++id)
            if (!platform.link(id).shared) given[id] = 0;
        const auto widest = widest_routes(platform);
        const auto shortest = shortest_routes(platform);
        for (Host from = 0; from < platform.hosts(); ++from)
            for (Host to = 0; to < platform.hosts(); ++to) {
                if (from == to) {
                    EXPECT_TRUE(widest(from, to).empty());
                    continue;
                }
                const SimplePaths paths(platform, platform.vertex_of(from), platform.vertex_of(to));
                const auto& all = paths.all();
                EXPECT_EQ(widest(from, to), best_of(platform, all, bandwidths(platform)))
                    << "seed " << seed;
                EXPECT_EQ(widest_path(platform, given, from, to), best_of(platform, all, left))
                    << "seed " << seed;
                EXPECT_EQ(shortest(from, to),
                          best_of(platform, all, std::vector<double>(platform.links(), 1)))
                    << "seed " << seed;
            }
    }
}

TEST(RingRoutes, of_the_empty_network_are_the_widest_paths_of_each_pair_alone) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        Random random(seed);
        testing::PlatformRange range{.hosts = 30, .routers = 20, .more_links = 60};
        range.latencies = 1;
        const Platform platform(testing::random_platform(random, range));
        const auto routes = widest_routes(platform);
        for (Host from = 0; from < platform.hosts(); ++from)
            for (Host to = 0; to < platform.hosts(); ++to)
                EXPECT_EQ(routes(from, to), widest_path(platform, bandwidths(platform), from, to));
    }
}

TEST(RingRoutes, are_those_of_conversions_and_simulations_where_shortest) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        testing::PlatformRange range = small_range(random);
        range.latencies = seed % 3 == 0 ? 0 : 2;
        range.whole = true;  // many are equally short
        const auto network = testing::random_platform(random, range);
        const auto ways = network::routes(network, network.hosts());
        const auto shortest = shortest_routes(Platform(network));
        for (std::size_t from = 0; from < ways.size(); ++from)
            for (std::size_t to = 0; to < ways.size(); ++to)
                EXPECT_EQ(shortest(from, to), Path(ways[from][to].begin(), ways[from][to].end()));
    }
}

TEST(RingRoutes, keep_to_those_that_are_listed) {
    Random random(3);
    const auto network =
        testing::with_wandering_routes(random, testing::random_platform(random, {}));
    const Platform platform(network);
    for (const auto& route : network.routes) {
        const Path path(route.links.begin(), route.links.end());
        // Hosts come first in these networks, so that their numbers are those of their nodes.
        const auto from = static_cast<Host>(route.from);
        const auto to = static_cast<Host>(route.to);
        EXPECT_EQ(widest_routes(platform)(from, to), path);
        EXPECT_EQ(shortest_routes(platform)(from, to), path);
        EXPECT_EQ(widest_path(platform, bandwidths(platform), from, to), path);
    }
}

TEST(RingRoutes, of_links_that_are_all_alike_have_the_lowest_numbers) {
    network::LinksNetwork network;
    for (const char* name : {"a", "b", "c", "d"}) network.nodes.push_back({name, 1.0, 0});
    const auto add = [&](std::size_t from, std::size_t to) {
        network.links.push_back({"l" + std::to_string(network.links.size()),
                                 network::LinksNetwork::Ends{from, to}, BytesPerSecond{1},
                                 Seconds{0}, network::LinksNetwork::Kind::bidirectional});
    };
    add(2, 3);
    add(0, 2);
    add(0, 1);
    add(1, 3);
    add(1, 3);
    const Platform platform(network);
    EXPECT_EQ(widest_routes(platform)(0, 3), (Path{1, 0}));
    EXPECT_EQ(widest_routes(platform)(3, 0), (Path{0, 1}));
    EXPECT_EQ(widest_routes(platform)(1, 3), (Path{3}));
}

}  // namespace
}  // namespace espalier::ring
