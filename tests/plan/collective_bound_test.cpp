#include "plan/collective_bound.hpp"

#include "network/grid_view.hpp"
#include "plan/bounds/prices.hpp"
#include "plan/job.hpp"
#include "simulate/rank_fabric.hpp"
#include "support/three_sites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace espalier::plan {
namespace {

using network::Cluster;
using network::GridNetwork;
using network::GridView;
using network::PLogP;
using schedule::Collective;
using schedule::Kind;
using testing::link_of;
using testing::three_sites;

double bound_on(const GridNetwork& grid, const Collective& collective, std::size_t ports = 1) {
    const GridView view(grid);
    const auto fabric = simulate::make_rank_fabric(view, Job::everywhere(view).places);
    return collective_bound(*fabric, collective, ports).value;
}

Collective of(Kind kind, std::size_t nodes, std::uint64_t bytes, std::size_t root = 0) {
    Collective collective;
    collective.kind = kind;
    collective.nodes = nodes;
    collective.root = root;
    collective.bytes = Bytes(bytes);
    return collective;
}

class ThreeSites : public ::testing::Test {
protected:
    [[nodiscard]] double bound(Kind kind, std::uint64_t bytes, std::size_t root = 0) const {
        return bound_on(grid_, of(kind, 6, bytes, root));
    }

    GridNetwork grid_ = three_sites(2, {100, 100, 100});
};

TEST_F(ThreeSites, the_last_byte_of_a_broadcast_leaves_the_root_s_site_and_goes_the_farthest_path) {
    // 1000 bytes over the uplink; then to c1, on by a message of a byte, and to c2.
    EXPECT_NEAR(bound(Kind::broadcast, 1000), 10 + 1 + 0.001 + 2, 1e-9);
    EXPECT_NEAR(bound(Kind::reduce, 1000), 10 + 1 + 0.001 + 2, 1e-9);
    // From c1 either is near.
    EXPECT_NEAR(bound(Kind::broadcast, 1000, 2), 10 + 2, 1e-9);
}

TEST_F(ThreeSites, a_short_message_takes_what_its_path_takes) {
    // To the other node of its own cluster it goes after one to another site has left.
    EXPECT_NEAR(bound(Kind::broadcast, 1), 3.003, 0.01);
    EXPECT_NEAR(bound(Kind::barrier, 0), 3, 0.01);
}

TEST_F(ThreeSites, an_all_reduce_crosses_uplinks_four_times_for_three_sites) {
    // The last result may be one for the nearest site: 1, 1 and 2 seconds before the end.
    EXPECT_NEAR(bound(Kind::allreduce, 1000), 4000.0 / 300 + 4.0 / 3, 1e-9);
}

TEST_F(ThreeSites, a_scan_takes_a_different_sum_into_a_site_for_each_change_of_sites) {
    EXPECT_NEAR(bound(Kind::scan, 1000), 10 + 1 + 0.001 + 2, 1e-9);
    // By turns, the nodes of c2 need two sums over the others, the last of which comes from c1.
    const GridView view(grid_);
    auto places = Job::everywhere(view).places;
    places = {places[0], places[2], places[4], places[1], places[3], places[5]};
    const auto fabric = simulate::make_rank_fabric(view, places);
    for (const Kind kind : {Kind::scan, Kind::exscan})
        EXPECT_NEAR(collective_bound(*fabric, of(kind, 6, 1000), 1).value, 20 + 2, 0.01);
}

TEST_F(ThreeSites, what_all_others_have_enters_a_site) {
    // Four blocks for c2, of which the last comes from c1.
    EXPECT_NEAR(bound(Kind::allgather, 100), 4 + 2, 1e-9);
    EXPECT_NEAR(bound(Kind::reduce_scatter, 100), 4 + 2, 1e-9);
}

TEST_F(ThreeSites, blocks_for_the_farthest_site_leave_early_enough) {
    EXPECT_NEAR(bound(Kind::scatter, 100), 2 + 1 + 0.001 + 2, 1e-9);
    EXPECT_NEAR(bound(Kind::gather, 100), 2 + 1 + 0.001 + 2, 1e-9);
    // All four leave, the last for the nearest.
    EXPECT_NEAR(bound(Kind::scatter, 1000), 40 + 1, 1e-9);
}

TEST_F(ThreeSites, blocks_of_a_total_exchange_leave_every_site) {
    // Eight blocks leave c2, the last for c1.
    EXPECT_NEAR(bound(Kind::alltoall, 1000), 80 + 2, 1e-9);
}

TEST(CollectiveBound, a_wide_uplink_does_not_loosen_what_the_others_need) {
    const auto grid = three_sites(2, {1e6, 100, 100});
    // Half of what crosses between c1 and c2, were they alone; but c0 can take it.
    EXPECT_NEAR(bound_on(grid, of(Kind::allreduce, 6, 1000)), 10 + 2 + 0.001 + 1, 1e-9);
}

TEST(CollectiveBound, capacities_of_like_nodes_add_up) {
    GridNetwork grid;
    grid.links = {2, 2};
    for (std::size_t a = 0; a < 2; ++a) {
        Cluster& cluster = grid.clusters.emplace_back();
        cluster.name = "c" + std::to_string(a);
        cluster.size = 3;
        cluster.inside = Cluster::Local{link_of(0.01)};
        cluster.egress = BytesPerSecond(50);
        cluster.ingress = BytesPerSecond(50);
        grid.links(a, 1 - a) = link_of(1);
    }
    Matrix<Bytes> sizes(6, 6);
    for (std::size_t from = 0; from < 3; ++from)
        for (std::size_t to = 3; to < 6; ++to) sizes(from, to) = Bytes(100);
    // Only one node's blocks leave its cluster, but its neighbours can help it.
    Collective collective = of(Kind::alltoall, 6, 100);
    collective.sizes = std::make_shared<const Matrix<Bytes>>(sizes);
    EXPECT_NEAR(bound_on(grid, collective, 4), 900.0 / 150 + 1, 1e-9);
    // Each node's own, all of them.
    EXPECT_NEAR(bound_on(grid, of(Kind::alltoall, 6, 100), 4), 500.0 / 50 + 0.01, 0.011);
}

TEST(CollectiveBound, what_ports_need_of_an_all_reduce) {
    GridNetwork grid;
    Cluster& cluster = grid.clusters.emplace_back();
    cluster.name = "c";
    cluster.size = 4;
    cluster.inside = Cluster::Local{link_of(0.5)};
    grid.links = {1, 1};
    EXPECT_NEAR(bound_on(grid, of(Kind::allreduce, 4, 1000)), 6000.0 / 4000 + 0.5, 1e-9);
    EXPECT_NEAR(bound_on(grid, of(Kind::allreduce, 4, 1000), 2), 6000.0 / 8000 + 0.5, 1e-9);
}

TEST(CollectiveBound, a_start_up_counts_once_for_what_one_port_carries) {
    GridNetwork grid;
    grid.links = {2, 2};
    const PLogP link{network::CostTable(Seconds(0.25)),
                     network::CostTable({{Bytes(1), Seconds(2.001)}, {Bytes(1000), Seconds(3)}})};
    for (std::size_t a = 0; a < 2; ++a) {
        grid.clusters.emplace_back().name = "c" + std::to_string(a);
        grid.links(a, 1 - a) = link;
    }
    EXPECT_NEAR(bound_on(grid, of(Kind::broadcast, 2, 500)), 2 + 0.5 + 0.25, 1e-9);
}

TEST(LeastPrices, are_the_dual_of_what_can_be_made) {
    using bounds::Use;
    // Two things that share resource 0; the first takes resource 1 as well.
    const std::vector<std::vector<Use>> uses{{{0, 1}, {1, 2}}, {{0, 1}}};
    const std::vector<double> supply{10, 4};
    EXPECT_THAT(bounds::least_prices(uses, supply), ::testing::ElementsAre(1, 0));
    // Each of a kind: 10 of one and 3 of the other.
    const std::vector<std::vector<Use>> apart{{{0, 1}}, {{1, 0.5}}};
    EXPECT_THAT(bounds::least_prices(apart, supply), ::testing::ElementsAre(1, 2));
    // What takes nothing can be made without end.
    const std::vector<std::vector<Use>> free{{{0, 1}}, {}};
    EXPECT_THAT(bounds::least_prices(free, supply), ::testing::IsEmpty());
}

}  // namespace
}  // namespace espalier::plan
