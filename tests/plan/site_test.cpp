#include "plan/site.hpp"

#include "core/error.hpp"

#include <gmock/gmock.h>

namespace espalier::plan {
namespace {

using network::Cluster;
using network::CostTable;
using network::GridNetwork;
using network::GridView;
using network::PLogP;
using ::testing::ElementsAre;

PLogP link(double latency) { return {CostTable(Seconds(latency)), CostTable(Seconds(1))}; }

Cluster counted(const std::string& name, std::size_t size) {
    Cluster cluster;
    cluster.name = name;
    cluster.size = size;
    cluster.inside = Cluster::Local{link(1)};
    return cluster;
}

/// far of 2; site, a grid of x (2) and y (1).
GridNetwork example() {
    GridNetwork inner;
    inner.links = {2, 2, link(10)};
    inner.clusters = {counted("x", 2), counted("y", 1)};
    Cluster site;
    site.name = "site";
    site.size = 3;
    site.inside = std::make_shared<const GridNetwork>(inner);
    GridNetwork grid;
    grid.links = {2, 2, link(100)};
    grid.clusters = {counted("far", 2), site};
    return grid;
}

TEST(Site, has_a_level_for_each_that_parts_ranks) {
    const GridNetwork grid = example();
    const GridView view(grid);
    // x-0 twice, far-1, y-0, x-1.
    const Job job{&view, {{1, 0}, {0, 1}, {2, 0}, {1, 1}, {1, 0}}};
    const Site site = site_of(job);
    ASSERT_EQ(site.members.size(), 2U);
    EXPECT_EQ(site.grid, &grid);
    EXPECT_THAT(site.index, ElementsAre(0, 1));
    EXPECT_THAT(site.ranks(), ElementsAre(1, 0, 4, 3, 2)) << "level by level";
    EXPECT_TRUE(site.members[0].members.empty()) << "far has one rank: no level of its own";
    EXPECT_EQ(site.members[0].name, "far");
    const Site& inner = site.members[1];
    EXPECT_EQ(inner.grid, grid.clusters[1].grid());
    EXPECT_EQ(inner.members[0].link, inner.grid->clusters[0].local());
    EXPECT_EQ(inner.members[0].members[0].members.size(), 2U) << "two ranks on x-0";
    EXPECT_EQ(site.coordinating_member(2), 1U);
    EXPECT_EQ(inner.coordinating_member(2), 1U);
    EXPECT_EQ(inner.coordinating_member(1), 0U) << "the root is elsewhere";
    EXPECT_EQ(site.group().ranks(), 5U);
    EXPECT_TRUE(site.is_known());
}

TEST(Site, leaves_out_levels_of_one_member) {
    const GridNetwork grid = example();
    const GridView view(grid);
    const Site site = site_of({&view, {{0, 0}, {1, 0}, {1, 1}}});
    ASSERT_EQ(site.members.size(), 2U);
    EXPECT_EQ(site.members[1].name, "site");
    EXPECT_EQ(site.members[1].grid, nullptr) << "only x of the site is used";
    EXPECT_EQ(site.members[1].members.size(), 2U);
    const Site alone = site_of({&view, {{1, 0}, {2, 0}}});
    ASSERT_EQ(alone.members.size(), 1U) << "except the outermost";
    EXPECT_THAT(alone.index, ElementsAre(1));
}

TEST(Site, what_is_known_by_its_time_has_no_inside) {
    GridNetwork grid = example();
    grid.clusters[0].inside = Cluster::KnownBroadcast{Seconds(3)};
    const GridView view(grid);
    const Site site = site_of(Job::everywhere(view));
    EXPECT_EQ(site.members[0].known_broadcast, Seconds(3));
    EXPECT_FALSE(site.is_known());
    EXPECT_EQ(site.members[0].ranks().size(), 2U);
}

TEST(Site, needs_to_know_what_ranks_of_a_node_cost) {
    GridNetwork grid = example();
    grid.clusters[0].size = 1;
    grid.clusters[0].inside = std::monostate();
    const GridView view(grid);
    EXPECT_NO_THROW(static_cast<void>(site_of({&view, {{0, 0}, {1, 0}}})));
    EXPECT_THROW(static_cast<void>(site_of({&view, {{0, 0}, {0, 0}}})), InputError);
    EXPECT_THROW(static_cast<void>(site_of({&view, {}})), InputError);
}

}  // namespace
}  // namespace espalier::plan
