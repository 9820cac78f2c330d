#include "network/convert.hpp"

#include "core/error.hpp"
#include "simulate/fabric.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

namespace espalier::network {
namespace {

using espalier::testing::uniform_pairwise;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Convert, a_pairwise_network_is_a_grid_of_single_nodes_of_the_same_costs) {
    PairwiseNetwork pairwise = *uniform_pairwise(3, 0.5, 100).pairwise();
    pairwise.startup(0, 1) = Seconds(2);
    pairwise.bandwidth(1, 0) = BytesPerSecond(7);
    pairwise.egress = {BytesPerSecond(1000), BytesPerSecond(1000), BytesPerSecond(50)};
    pairwise.ingress = {BytesPerSecond(1000), BytesPerSecond(20), BytesPerSecond(1000)};
    const Network before(pairwise);
    const Network after(to_grid(pairwise));
    ASSERT_EQ(size(after), 3U);
    const auto one = simulate::make_fabric(before);
    const auto other = simulate::make_fabric(after);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(node_name(after, i), node_name(before, i));
        EXPECT_EQ(after.grid()->clusters[i].node_name(0), node_name(before, i));
        for (std::size_t j = 0; j < 3; ++j)
            for (const std::uint64_t bytes : {0U, 1U, 1000U, 5000000U}) {
                if (i == j) continue;
                const auto a = one->cost(i, j, Bytes(bytes));
                const auto b = other->cost(i, j, Bytes(bytes));
                ASSERT_NEAR(a.gap.value, b.gap.value, 1e-12 * (1 + a.gap.value));
                ASSERT_EQ(b.latency, Seconds(0));
            }
    }
    EXPECT_DOUBLE_EQ(one->cost(2, 1, Bytes(100)).gap.value, 5.5) << "at b's 20 a second";
    EXPECT_EQ(after.grid()->shared.size(), 6U);
}

TEST(Convert, an_unknown_pair_stays_unknown) {
    PairwiseNetwork pairwise = *uniform_pairwise(2, 0.5, 100).pairwise();
    pairwise.bandwidth(0, 1).reset();
    EXPECT_FALSE(to_grid(pairwise).links(0, 1));
    EXPECT_TRUE(to_grid(pairwise).links(1, 0));
    try {
        static_cast<void>(to_sender(pairwise, Bytes(1)));
        FAIL() << "a pair is unknown";
    } catch (const InputError& fault) {
        EXPECT_THAT(fault.what(), AllOf(HasSubstr("'a'"), HasSubstr("'b'")));
    }
}

TEST(Convert, a_grid_is_pairwise_at_one_size) {
    // A cluster of two and one of one: inside 1 + 2 m, between 10 + 3 m.
    GridNetwork grid = *testing::uniform_grid(2, 10, 0, 3).grid();
    grid.clusters[0].size = 2;
    grid.clusters[0].inside = Cluster::Local{
        {CostTable(Seconds(1)), CostTable({{Bytes(0), Seconds(0)}, {Bytes(10), Seconds(20)}})}};
    for (const std::uint64_t bytes : {0U, 1U, 100U}) {
        const PairwiseNetwork pairwise = to_pairwise(grid, Bytes(bytes));
        EXPECT_THAT(pairwise.nodes, ElementsAre("a-0", "a-1", "b-0"));
        const Network network(pairwise);
        const auto fabric = simulate::make_fabric(network);
        const auto m = static_cast<double>(bytes);
        EXPECT_NEAR(fabric->cost(0, 1, Bytes(bytes)).gap.value, 1 + 2 * m, 1e-9);
        EXPECT_NEAR(fabric->cost(1, 2, Bytes(bytes)).gap.value, 10 + 3 * m, 1e-9);
        EXPECT_FALSE(pairwise.startup(0, 0));
    }
}

TEST(Convert, an_empty_message_keeps_the_time_that_it_takes) {
    const GridNetwork grid = *testing::uniform_grid(2, 10, 4).grid();
    const Network network(to_pairwise(grid, Bytes(0)));
    EXPECT_DOUBLE_EQ(simulate::make_fabric(network)->cost(0, 1, Bytes(0)).gap.value, 14);
}

LinksNetwork diamond() {
    // p - r - q with latency 2, p - s - t - q with latency 1; s - t is a backbone, t -> q directed.
    LinksNetwork links;
    links.nodes = {{"p", 1.0, 0.5}, {"r", {}, 0}, {"s", {}, 0}, {"t", {}, 0}, {"q", 2.0, 0}};
    using Kind = LinksNetwork::Kind;
    const auto link = [](const char* name, std::size_t from, std::size_t to, double rate,
                         double latency, Kind kind) {
        return LinksNetwork::Link{name, LinksNetwork::Ends{from, to}, BytesPerSecond(rate),
                                  Seconds(latency), kind};
    };
    links.links = {
        link("pr", 0, 1, 10, 1, Kind::bidirectional), link("rq", 1, 4, 20, 1, Kind::bidirectional),
        link("ps", 0, 2, 30, 0.5, Kind::bidirectional), link("st", 2, 3, 5, 0.5, Kind::backbone),
        link("tq", 3, 4, 40, 0, Kind::directed)};
    return links;
}

TEST(Convert, routes_take_the_least_latency_then_the_fewest_links) {
    LinksNetwork links = diamond();
    const auto paths = [&] { return routes(links, links.hosts()); };
    EXPECT_THAT(paths()[0][1], ElementsAre(2, 3, 4));
    EXPECT_THAT(paths()[1][0], ElementsAre(1, 0)) << "t to q is no way back";
    EXPECT_THAT(paths()[0][0], ElementsAre());
    links.links[0].latency = links.links[1].latency = Seconds(0.5);
    EXPECT_THAT(paths()[0][1], ElementsAre(0, 1)) << "two links rather than three";
}

TEST(Convert, links_are_pairwise_along_their_routes) {
    const PairwiseNetwork pairwise = to_pairwise(diamond());
    EXPECT_THAT(pairwise.nodes, ElementsAre("p", "q"));
    EXPECT_EQ(pairwise.startup(0, 1), Seconds(1.5));
    EXPECT_EQ(pairwise.bandwidth(0, 1), BytesPerSecond(5));
    EXPECT_EQ(pairwise.startup(1, 0), Seconds(2.5));
    EXPECT_EQ(pairwise.bandwidth(1, 0), BytesPerSecond(10));
}

TEST(Convert, names_the_hosts_that_no_path_joins) {
    LinksNetwork links = diamond();
    links.links.resize(1);
    try {
        static_cast<void>(to_pairwise(links));
        FAIL() << "q can't be reached";
    } catch (const InputError& fault) {
        EXPECT_THAT(fault.what(), AllOf(HasSubstr("'p'"), HasSubstr("'q'")));
    }
}

TEST(Convert, a_senders_time_is_its_mean_over_the_others) {
    PairwiseNetwork pairwise = *uniform_pairwise(3, 1, 100).pairwise();
    pairwise.startup(0, 1) = Seconds(4);
    const SenderNetwork sender = to_sender(pairwise, Bytes(200));
    EXPECT_DOUBLE_EQ(sender.class_of(0).transmission_time, (6.0 + 3.0) / 2);
    EXPECT_DOUBLE_EQ(sender.class_of(2).transmission_time, 3);
    EXPECT_EQ(sender.name_of(1), "b");
    EXPECT_THROW(static_cast<void>(to_sender(*uniform_pairwise(1, 1, 1).pairwise(), Bytes(1))),
                 InputError);
}

}  // namespace
}  // namespace espalier::network
