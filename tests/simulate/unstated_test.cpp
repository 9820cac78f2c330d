// What is so between clusters of which no capacity is stated.

#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using network::GridView;
using schedule::Kind;
using schedule::Schedule;

/// Clusters a and b of two nodes each, and c of one; a message of 1000 bytes takes 1 s between two.
network::Network three_clusters(const std::string& more = "") {
    constexpr auto gap = R"({"1":0.001,"1000":1})";
    return network::parse_network(
        fmt::format(R"({{"format":"espalier-network","version":1,"model":"grid","clusters":[
             {{"name":"a","size":2,"local":{{"latency_s":0,"gap_s":{0}}}}},
             {{"name":"b","size":2,"local":{{"latency_s":0,"gap_s":{0}}}}},{{"name":"c","size":1}}],
            "latency_s":[[0,0,0],[0,0,0],[0,0,0]],
            "gap_s":[[0,{0},{0}],[{0},0,{0}],[{0},{0},0]]{1}}})",
                    gap, more),
        "net");
}

/// When the last of these messages of 1000 bytes between ranks, all sent at once, has arrived.
double end_of(const network::Network& network,
              const std::vector<std::pair<std::size_t, std::size_t>>& messages,
              std::optional<network::Unstated> unstated = std::nullopt) {
    const GridView view(*network.grid());
    std::vector<GridView::Place> places;
    for (std::size_t node = 0; node < view.nodes(); ++node) places.push_back(view.place_of(node));
    Schedule schedule = hand_made(Kind::alltoall, view.nodes(), 1000);
    schedule.chunks.clear();
    for (const auto& [from, to] : messages) {
        schedule.chunks.push_back(chunk_of(1000));
        add_copy(schedule, from, to, schedule.chunks.size() - 1);
    }
    return simulate(schedule, *make_rank_fabric(view, places, unstated)).makespan.value;
}

using ::testing::DoubleNear;

TEST(Unstated, two_messages_between_two_clusters_share_what_one_gets) {
    EXPECT_THAT(end_of(three_clusters(), {{0, 2}}), DoubleNear(1, 1e-3));
    EXPECT_THAT(end_of(three_clusters(), {{0, 2}, {1, 3}}), DoubleNear(2, 1e-2));
}

TEST(Unstated, both_directions_share_it) {
    EXPECT_THAT(end_of(three_clusters(), {{0, 2}, {3, 1}}), DoubleNear(2, 1e-2));
}

TEST(Unstated, messages_of_different_pairs_of_clusters_do_not_share) {
    EXPECT_THAT(end_of(three_clusters(), {{0, 2}, {1, 4}}), DoubleNear(1, 1e-3));
}

TEST(Unstated, messages_inside_a_cluster_do_not_share) {
    EXPECT_THAT(end_of(three_clusters(), {{0, 1}, {1, 0}}), DoubleNear(1, 1e-3));
}

TEST(Unstated, each_message_has_its_own_where_the_network_or_the_caller_says_so) {
    const auto separate = three_clusters(R"(,"unstated":"separate")");
    EXPECT_THAT(end_of(separate, {{0, 2}, {1, 3}}), DoubleNear(1, 1e-3));
    EXPECT_THAT(end_of(three_clusters(), {{0, 2}, {1, 3}}, network::Unstated::separate),
                DoubleNear(1, 1e-3));
}

TEST(Unstated, what_is_stated_counts_and_only_the_other_direction_is_presumed) {
    const auto stated =
        three_clusters(R"(,"shared":[{"name":"up","capacity_Bps":1e9,"pairs":[["a","b"]]}])");
    EXPECT_THAT(end_of(stated, {{0, 2}, {1, 3}}), DoubleNear(1, 1e-3));
    EXPECT_THAT(end_of(stated, {{2, 0}, {3, 1}}), DoubleNear(2, 1e-2));
}

}  // namespace
}  // namespace espalier::simulate
