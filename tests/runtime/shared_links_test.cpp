#include "core/random.hpp"
#include "network/json.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "runtime/rank_machine.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

namespace espalier::runtime {
namespace {

using schedule::Kind;
using Places = std::vector<network::GridView::Place>;

/// Three clusters of two; from the first to the last it is farther than to the one between them.
/// What leaves a cluster shares a link.
network::Network three_places() {
    return network::parse_network(R"({
        "format": "espalier-network", "version": 1, "model": "grid",
        "clusters": [
            {"name": "a", "size": 2, "egress_Bps": 1e8, "ingress_Bps": 1e8,
             "local": {"latency_s": 1e-5, "gap_s": {"1": 1e-8, "1000001": 0.01000001}}},
            {"name": "b", "size": 2, "egress_Bps": 1e8, "ingress_Bps": 1e8,
             "local": {"latency_s": 1e-5, "gap_s": {"1": 1e-8, "1000001": 0.01000001}}},
            {"name": "c", "size": 2, "egress_Bps": 1e8, "ingress_Bps": 1e8,
             "local": {"latency_s": 1e-5, "gap_s": {"1": 1e-8, "1000001": 0.01000001}}}],
        "latency_s": [[0, 5e-3, 12e-3], [5e-3, 0, 5e-3], [12e-3, 5e-3, 0]],
        "gap_s": [[0, {"1": 2e-7, "1000001": 0.2000002}, {"1": 2e-7, "1000001": 0.2000002}],
                  [{"1": 2e-7, "1000001": 0.2000002}, 0, {"1": 2e-7, "1000001": 0.2000002}],
                  [{"1": 2e-7, "1000001": 0.2000002}, {"1": 2e-7, "1000001": 0.2000002}, 0]],
        "shared": [
            {"name": "up-a", "capacity_Bps": 1e6, "pairs": [["a", "b"], ["a", "c"]]},
            {"name": "up-b", "capacity_Bps": 1e6, "pairs": [["b", "a"], ["b", "c"]]},
            {"name": "up-c", "capacity_Bps": 1e6, "pairs": [["c", "a"], ["c", "b"]]}]})",
                                  "test");
}

struct SharedLinks : testing::Test {
    SharedLinks() {
        for (std::size_t leaf = 0; leaf < 3; ++leaf)
            for (std::size_t node = 0; node < 2; ++node) places.push_back({leaf, node});
        policy.planning = Settings::Planning::automatic;
    }

    /// Of what is planned and tried, the one that is used first, first.
    [[nodiscard]] std::vector<std::string> names(Kind kind, std::uint64_t bytes,
                                                 int root = 0) const {
        const Signature signature{.kind = kind, .root = root, .bytes = Bytes(bytes)};
        const auto shares = plan_ranks(view, places, signature, {}, policy);
        std::vector<std::string> found{shares.front().algorithm};
        for (const auto& other : shares.front().others) found.push_back(other.algorithm);
        return found;
    }

    network::Network network = three_places();
    network::GridView view{*network.grid()};
    Places places;
    Policy policy;
};

TEST_F(SharedLinks, have_long_blocks_travel_together) {
    for (const Kind kind : {Kind::alltoall, Kind::gather}) {
        EXPECT_EQ(names(kind, 65'536).front(), "levels") << name_of(kind);
        EXPECT_LE(names(kind, 65'536).size(), 3U);
    }
    EXPECT_NE(names(Kind::gather, 1000).front(), "levels");
    policy.choice = {.name = "direct"};
    EXPECT_EQ(names(Kind::gather, 65'536), std::vector<std::string>{"direct"});
}

TEST_F(SharedLinks, have_one_sender_reach_far_ones_by_way_of_others_if_near_ones_hold_them_up) {
    EXPECT_NE(names(Kind::scatter, 65'536).front(), "helpers") << "one near, four far";
    // Near ones of five times the time, and more of them.
    network::GridNetwork grid = *network.grid();
    grid.clusters[0].size = 12;
    for (auto& cluster : grid.clusters)
        cluster.inside = network::Cluster::Local{
            {network::CostTable(Seconds(1e-5)),
             network::CostTable({{Bytes(1), Seconds(5e-8)}, {Bytes(1'000'001), Seconds(0.05)}})}};
    for (std::size_t node = 2; node < 12; ++node) places.push_back({0, node});
    view = network::GridView(grid);
    const Signature signature{.kind = Kind::scatter, .bytes = Bytes(65'536)};
    const auto shares = plan_ranks(view, places, signature, {}, policy);
    EXPECT_EQ(shares.front().algorithm, "helpers");
    EXPECT_EQ(shares.front().program.ports, 1U);
    EXPECT_GT(names(Kind::scatter, 65'536).size(), 1U);
    EXPECT_NE(names(Kind::scatter, 65'536, 2).front(), "helpers") << "one near, fourteen far";
}

TEST_F(SharedLinks, have_short_messages_that_go_far_leave_first) {
    EXPECT_THAT(names(Kind::alltoall, 1000), testing::Contains("far-first"));
    EXPECT_LE(names(Kind::alltoall, 1000).size(), 3U);

    // Its answers wait for what they answer, be that as short as may be.
    policy.choice = {.name = "far-first", .ports = 5};
    const Signature signature{.kind = Kind::alltoall, .bytes = Bytes(1000)};
    std::vector<RankProgram> programs;
    for (const auto& share : plan_ranks(view, places, signature, {}, policy))
        programs.push_back(share.program);
    EXPECT_FALSE(programs.front().needs.empty());
    const schedule::Collective collective{.kind = Kind::alltoall, .nodes = 6};
    Random random(3);
    for (int round = 0; round < 5; ++round) {
        test::Units units;
        for (const test::Item& item : test::items_of(collective)) units[item] = random.below(3);
        EXPECT_TRUE(test::RankMachine(collective, programs, units, 4).run());
    }
}

}  // namespace
}  // namespace espalier::runtime
