#include "network/grid_view.hpp"

#include <gmock/gmock.h>

namespace espalier::network {
namespace {

PLogP link(double latency) { return {CostTable(Seconds(latency)), CostTable(Seconds(1))}; }

GridNetwork level(double latency, std::vector<Cluster> clusters) {
    GridNetwork grid;
    grid.links = {clusters.size(), clusters.size(), link(latency)};
    grid.clusters = std::move(clusters);
    return grid;
}

Cluster counted(const std::string& name, std::size_t size) {
    Cluster cluster;
    cluster.name = name;
    cluster.size = size;
    cluster.inside = Cluster::Local{link(1)};
    return cluster;
}

Cluster around(const std::string& name, const GridNetwork& inner) {
    Cluster cluster;
    cluster.name = name;
    cluster.size = 0;
    for (const Cluster& member : inner.clusters) cluster.size += member.size;
    cluster.inside = std::make_shared<const GridNetwork>(inner);
    return cluster;
}

/// far (1), continent (site (x of 2, y of 3), z of 1 with a name).
GridNetwork example() {
    GridNetwork site = level(10, {counted("x", 2), counted("y", 3)});
    site.shared = {{"inner", BytesPerSecond(5), {{0, 1}}}};
    Cluster named = counted("z", 1);
    named.nodes = {"zoe.example.org"};
    const GridNetwork continent = level(100, {around("site", site), named});
    GridNetwork grid = level(1000, {counted("far", 1), around("continent", continent)});
    grid.shared = {{"ocean", BytesPerSecond(7), {{0, 1}}}};
    return grid;
}

TEST(GridView, numbers_nodes_leaf_by_leaf) {
    const GridNetwork grid = example();
    const GridView view(grid);
    ASSERT_EQ(view.leaves().size(), 4U);
    EXPECT_EQ(view.nodes(), 7U);
    std::vector<std::string> names;
    for (std::size_t node = 0; node < view.nodes(); ++node) {
        const auto place = view.place_of(node);
        EXPECT_EQ(view.leaves()[place.leaf].first_node + place.node, node);
        names.push_back(view.name_of(place));
        EXPECT_EQ(view.find(names.back()), place);
    }
    EXPECT_THAT(names, ::testing::ElementsAre("far-0", "x-0", "x-1", "y-0", "y-1", "y-2",
                                              "zoe.example.org"));
    EXPECT_THAT(view.leaves()[2].path, ::testing::ElementsAre(1, 0, 1));
}

TEST(GridView, takes_the_link_of_the_outermost_level_that_parts_two_leaves) {
    const GridNetwork grid = example();
    const GridView view(grid);
    const auto latency = [&](std::size_t a, std::size_t b) {
        return view.link(a, b)->latency(Bytes(0)).value;
    };
    EXPECT_EQ(latency(1, 1), 1);
    EXPECT_EQ(latency(1, 2), 10);
    EXPECT_EQ(latency(2, 3), 100);
    EXPECT_EQ(latency(0, 2), 1000);
    EXPECT_EQ(latency(3, 0), 1000);
}

TEST(GridView, spreads_shared_capacities_over_the_leaves_below) {
    const GridNetwork grid = example();
    const GridView view(grid);
    ASSERT_EQ(view.shared().size(), 2U);
    const auto pairs = [&](std::size_t s) {
        std::vector<std::pair<std::size_t, std::size_t>> found;
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                if (view.shared()[s].pairs(i, j) != 0) found.emplace_back(i, j);
        return found;
    };
    using ::testing::Pair;
    EXPECT_THAT(pairs(0), ::testing::ElementsAre(Pair(0, 1), Pair(0, 2), Pair(0, 3)));
    EXPECT_THAT(pairs(1), ::testing::ElementsAre(Pair(1, 2)));
}

TEST(GridView, finds_hosts_by_short_and_full_names) {
    const GridNetwork grid = example();
    const GridView view(grid);
    EXPECT_EQ(view.find("zoe"), (GridView::Place{3, 0}));
    EXPECT_EQ(view.find("x-1.example.org"), (GridView::Place{1, 1}));
    EXPECT_FALSE(view.find("zo"));
    EXPECT_FALSE(view.find("zoe.example"));
    EXPECT_FALSE(view.find(""));
}

TEST(GridView, prefers_the_same_name_to_a_similar_one) {
    Cluster hosts = counted("c", 2);
    hosts.nodes = {"n.example.org", "n"};
    const GridNetwork grid = level(1, {hosts});
    EXPECT_EQ(GridView(grid).find("n"), (GridView::Place{0, 1}));
}

TEST(GridView, short_names_mean_full_ones_only_at_a_dot) {
    EXPECT_TRUE(same_host("n1", "n1"));
    EXPECT_TRUE(same_host("n1", "n1.site"));
    EXPECT_TRUE(same_host("n1.site.org", "n1"));
    EXPECT_FALSE(same_host("n1", "n10.site"));
    EXPECT_FALSE(same_host("n1.a", "n1.b"));
    EXPECT_FALSE(same_host("n1.a", "n1.a.b")) << "not a first label";
    EXPECT_FALSE(same_host("", "n1"));
}

TEST(GridView, a_pair_that_nobody_measured_has_no_link) {
    GridNetwork grid = level(1, {counted("a", 1), counted("b", 2)});
    grid.links(0, 1).reset();
    grid.clusters[1].inside = Cluster::KnownBroadcast{Seconds(1)};
    const GridView view(grid);
    EXPECT_EQ(view.link(0, 1), nullptr);
    EXPECT_NE(view.link(1, 0), nullptr);
    EXPECT_EQ(view.link(1, 1), nullptr);
}

}  // namespace
}  // namespace espalier::network
