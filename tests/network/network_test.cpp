#include "network/network.hpp"

#include "core/error.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace espalier::network {
namespace {

using ::testing::StartsWith;

std::string fault_of(const Network::Model& model) {
    try {
        static_cast<void>(Network(model, "here"));
    } catch (const InputError& fault) {
        return fault.what();
    }
    return "";
}

TEST(Network, is_checked_when_it_is_made) {
    SenderNetwork sender = *test::senders({1, 2}).sender();
    EXPECT_EQ(fault_of(sender), "");
    sender.classes[1].count = 0;
    EXPECT_THAT(fault_of(sender), StartsWith("here: nodes: "));
    EXPECT_THAT(fault_of(SenderNetwork{}), StartsWith("here: nodes: "));

    PairwiseNetwork pairwise = *test::uniform_pairwise(2, 1, 1).pairwise();
    pairwise.bandwidth(0, 1) = BytesPerSecond(0);
    EXPECT_THAT(fault_of(pairwise), StartsWith("here: bandwidth_Bps[0][1]: "));
    pairwise.bandwidth = {1, 2};
    EXPECT_THAT(fault_of(pairwise), StartsWith("here: bandwidth_Bps: 2 x 2 was expected"));

    GridNetwork grid = *test::uniform_grid(2, 1, 1).grid();
    grid.shared = {{"x", BytesPerSecond(1), {{0, 2}}}};
    EXPECT_THAT(fault_of(grid), StartsWith("here: shared[0]: "));
    grid.shared.clear();
    grid.clusters[1].nodes = {"p", "q"};
    EXPECT_THAT(fault_of(grid), StartsWith("here: clusters[1]: "));
    grid.clusters[1].size = 2;
    EXPECT_EQ(fault_of(grid), "");
    grid.clusters[0].nodes = {"q"};
    EXPECT_THAT(fault_of(grid), StartsWith("here: clusters[1].nodes: "));
    grid.links = {3, 3};
    EXPECT_THAT(fault_of(grid), StartsWith("here: latency_s: "));

    LinksNetwork links;
    links.nodes = {{"p", 1.0, 0}};
    EXPECT_EQ(fault_of(links), "");
    links.links = {{"l", LinksNetwork::Ends{0, 1}, BytesPerSecond(1), Seconds(0),
                    LinksNetwork::Kind::directed}};
    EXPECT_THAT(fault_of(links), StartsWith("here: links: "));
}

TEST(Network, a_million_alike_nodes_are_one_class) {
    SenderNetwork sender;
    sender.classes = {{"old", 3, 500000, false}, {"new", 1, 500000, false}};
    const Network network(sender);
    EXPECT_EQ(size(network), 1000000U);
    EXPECT_EQ(node_name(network, 499999), "old-499999");
    EXPECT_EQ(node_name(network, 500000), "new-0");
    EXPECT_THROW(static_cast<void>(node_name(network, 1000000)), std::out_of_range);
}

TEST(SenderNetwork, finds_every_node_by_its_name_and_no_other) {
    const SenderNetwork network{"s",
                                {{"a", 1, 3, false}, {"a-1", 2, 12, false}, {"lone", 3, 1, true}}};
    for (std::size_t node = 0; node < network.size(); ++node)
        EXPECT_EQ(network.find(network.name_of(node)), node);
    for (const char* name : {"a", "a-3", "a-01", "a-", "a-1-12", "lone-0", "", "a-1x"})
        EXPECT_EQ(network.find(name), std::nullopt) << name;
}

}  // namespace
}  // namespace espalier::network
