#include "ring/bound_tree.hpp"

#include "ring/oracle.hpp"
#include "ring/wandering_routes.hpp"
#include "support/random_platforms.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace espalier::ring {
namespace {

using ::testing::IsSubsetOf;

/// Routes that each pair has drawn from all its paths.
network::LinksNetwork with_drawn_routes(Random& random, network::LinksNetwork network) {
    const Platform platform(network);
    for (Host from = 0; from < platform.hosts(); ++from)
        for (Host to = 0; to < platform.hosts(); ++to) {
            if (from == to) continue;
            const auto paths = test::simple_paths(platform, from, to);
            const auto& path = paths[random.below(paths.size())];
            network.routes.push_back(
                {platform.vertex_of(from), platform.vertex_of(to), {path.begin(), path.end()}});
        }
    return network;
}

/// Shared links on any path between any two of the hosts.
std::set<LinkId> used_among(const Platform& platform, const std::vector<Host>& hosts) {
    std::set<LinkId> used;
    for (const Host from : hosts)
        for (const Host to : hosts) {
            if (from == to) continue;
            for (const auto& path : test::simple_paths(platform, from, to))
                for (const LinkId link : path)
                    if (platform.link(link).shared) used.insert(link);
        }
    return used;
}

/// Those that the tree says a ring of these hosts may use.
std::set<LinkId> allowed_among(const CutTree& tree, const std::vector<Host>& hosts) {
    std::size_t top = tree.part_of[hosts.front()];
    for (const Host host : hosts) top = std::min(top, tree.meeting(hosts.front(), host));
    std::set<LinkId> allowed(tree.anywhere.begin(), tree.anywhere.end());
    const auto add = [&](const std::vector<LinkId>& links) {
        allowed.insert(links.begin(), links.end());
    };
    add(tree.parts[top].inside);
    for (const Host host : hosts)
        for (auto part = tree.part_of[host]; part != top; part = tree.parts[part].parent) {
            add(tree.parts[part].above);
            add(tree.parts[part].inside);
        }
    return allowed;
}

void check(const Platform& platform, Random& random) {
    const CutTree tree = cut_tree(platform);
    for (std::size_t part = 1; part < tree.parts.size(); ++part)
        ASSERT_LT(tree.parts[part].parent, part);
    for (int trial = 0; trial < 8; ++trial) {
        std::vector<Host> hosts;
        for (Host host = 0; host < platform.hosts(); ++host)
            if (random.uniform() < 0.5) hosts.push_back(host);
        if (hosts.size() < 2) continue;
        EXPECT_THAT(used_among(platform, hosts), IsSubsetOf(allowed_among(tree, hosts)));
    }
}

TEST(RingCutTree, allowsEachRingAllLinksThatItsPathsMayUse) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const auto network = test::random_platform(
            random, {.hosts = 6, .routers = 5, .more_links = seed % 4, .directed = 0.5});
        check(Platform(network), random);
    }
}

TEST(RingCutTree, allowsEachRingAllLinksOfItsListedRoutes) {
    for (std::uint64_t seed = 1; seed <= 120; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        auto network = test::random_platform(
            random, {.hosts = 6, .routers = 5, .more_links = seed % 5, .directed = 0.3});
        check(Platform(seed % 2 == 0 ? test::with_wandering_routes(random, std::move(network))
                                     : with_drawn_routes(random, std::move(network))),
              random);
    }
}

TEST(RingCutTree, ofATreeHasItsLinksBetweenParts) {
    Random random(3);
    const auto network =
        test::random_platform(random, {.hosts = 7, .routers = 4, .more_links = 0, .backbone = 0});
    const CutTree free = cut_tree(Platform(network));
    const CutTree routed = cut_tree(Platform(with_drawn_routes(random, network)));
    for (const CutTree& tree : {free, routed}) {
        EXPECT_TRUE(tree.anywhere.empty());
        std::size_t between = 0;
        for (const auto& part : tree.parts) {
            EXPECT_TRUE(part.inside.empty());
            between += part.above.size();
        }
        EXPECT_GE(between, 7U);
    }
    EXPECT_EQ(free.parts.size(), routed.parts.size());
}

}  // namespace
}  // namespace espalier::ring
