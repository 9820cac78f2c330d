#include "measure/carried_out.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace espalier::measure {
namespace {

using test::carry_out;
using test::HiddenNetwork;
using test::regions;
using test::unknown_paces;

/// Two round trips are too few for any flood.
TEST(TrainsOfDatagrams, tell_of_each_pair_in_two_round_trips) {
    HiddenNetwork network = regions();
    network.add_pair(1, 3, 1e6);
    SharingPlan plan{unknown_paces(network), network.round_trips, 0.8, {true, test::eager}};
    EXPECT_TRUE(carry_out(network, plan, 1, &network).empty());
    for (const Matrix<double>& paces : {plan.paces(), plan.sure_paces()}) {
        EXPECT_NEAR(paces(1, 3), 1e6, 1e3);
        EXPECT_NEAR(paces(3, 1), 4.7e6, 1e3);
        EXPECT_NEAR(paces(0, 1), 17.7e6, 1e3);
    }
    EXPECT_FALSE(plan.bottlenecks().empty());
    for (const Bottleneck& found : plan.bottlenecks())
        EXPECT_LE(found.capacity, 1.01 * network.most(found)) << "as far as others let it be seen";
}

/// As those do that let short bursts pass.
TEST(TrainsOfDatagrams, give_way_to_floods_that_were_slower) {
    HiddenNetwork slower = regions();
    HiddenNetwork network = regions();
    for (std::size_t site = 0; site < 5; ++site) slower.add_path_out(site, 1e6);
    SharingPlan plan{unknown_paces(network), network.round_trips, 20, {true, test::eager}};
    carry_out(slower, plan, 1, &network);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 5; ++j)
            if (i != j) {
                EXPECT_NEAR(plan.sure_paces()(i, j), 1e6, 1e4) << i << " to " << j;
            }
    for (const Bottleneck& found : plan.bottlenecks())
        EXPECT_LE(found.capacity, slower.most(found) * 1.01);
}

/// Which say only what their paths carry at least.
TEST(TrainsOfDatagrams, do_not_give_way_to_floods_that_were_still_getting_faster) {
    HiddenNetwork network = regions();
    network.add_pair(1, 3, 1e6);
    SharingPlan plan{unknown_paces(network), network.round_trips, 20, {true, test::eager}};
    EXPECT_FALSE(carry_out(network, plan, 1, &network, 1.8).empty());
    EXPECT_NEAR(plan.sure_paces()(0, 1), 17.7e6, 2e5);
    EXPECT_NEAR(plan.sure_paces()(1, 3), 1e6, 1e4);
    EXPECT_NEAR(plan.sure_paces()(3, 2), 4.7e6, 1e5);
    for (const Bottleneck& found : plan.bottlenecks())
        EXPECT_LE(found.capacity, 1.01 * network.most(found)) << "as far as others let it be seen";
    EXPECT_THAT(plan.warnings(), testing::Not(testing::Contains(testing::HasSubstr("slower"))));
}

// Those that met others on their ways are slower than these, all two of a site alike.
TEST(TrainsOfDatagrams, give_way_to_floods_that_were_faster) {
    const HiddenNetwork network = regions();
    HiddenNetwork crowded = regions();
    crowded.add_pair(0, 1, 4e6);
    crowded.add_pair(0, 2, 4e6);
    SharingPlan plan{unknown_paces(network), network.round_trips, 40, {true, test::eager}};
    carry_out(network, plan, 1, &crowded);
    EXPECT_NEAR(plan.sure_paces()(0, 1), 17.7e6, 2e5);
    EXPECT_NEAR(plan.sure_paces()(0, 2), 9.4e6, 1e5);
    for (const Bottleneck& found : plan.bottlenecks())
        EXPECT_GE(found.capacity, network.most(found) * 0.99);
}

/// Paths whose trains say what those of others say, too, need no flood each.
TEST(TrainsOfDatagrams, leave_to_floods_what_but_one_pair_shows) {
    HiddenNetwork network = regions();
    network.add_pair(1, 3, 1e6);
    SharingPlan with{unknown_paces(network), network.round_trips, 40, {true, test::eager}};
    SharingPlan without{unknown_paces(network), network.round_trips, 40, {true, test::eager}};
    const auto asked = carry_out(network, with, 1, &network);
    EXPECT_LT(asked.size(), carry_out(network, without).size());
    const auto is_of_pair = [](const Stream& stream) {
        return stream.ends.from_cluster == 1 && stream.ends.to_cluster == 3;
    };
    EXPECT_TRUE(std::ranges::any_of(asked, [&](const StreamRound& round) {
        return std::ranges::any_of(round.streams, is_of_pair);
    }));
    EXPECT_NEAR(with.sure_paces()(1, 3), 1e6, 1e4);
}

/// No train tells which end of the one path that is faster than the others is full.
TEST(TrainsOfDatagrams, let_both_ends_be_presumed_of_what_two_sites_alone_fill) {
    HiddenNetwork network({{4}, {4}, {4}, {4}});
    const std::vector<double> paths{20e6, 12e6, 5e6, 6e6};
    for (std::size_t site = 0; site < paths.size(); ++site) {
        network.add_path_out(site, paths[site]);
        network.add_path_in(site, paths[site]);
    }
    SharingPlan plan{unknown_paces(network), network.round_trips, 0.4, {true, test::eager}};
    EXPECT_TRUE(carry_out(network, plan, 1, &network).empty());
    const std::vector<Bottleneck> found = plan.bottlenecks();
    for (const std::size_t site : {0U, 1U})
        for (const auto place : {Bottleneck::Place::out, Bottleneck::Place::in}) {
            const auto is_its_path = [&](const Bottleneck& path) {
                return path.place == place &&
                       (place == Bottleneck::Place::out ? path.from : path.to) ==
                           std::vector<std::size_t>{site};
            };
            const auto path = std::ranges::find_if(found, is_its_path);
            ASSERT_NE(path, found.end()) << site;
            EXPECT_NEAR(path->capacity, 12e6, 1e5);
        }
}

}  // namespace
}  // namespace espalier::measure
