#include "runtime/logic/placement.hpp"

#include "core/error.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

namespace espalier::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

network::Network parse(const std::string& text) { return network::parse_network(text, "net.json"); }

network::Network two_clusters() {
    return parse(R"({"format":"espalier-network","version":1,"model":"grid","clusters":[
        {"name":"a","nodes":["a-0","a-1.site"],"local":{"latency_s":1e-5,"gap_s":1e-6}},
        {"name":"b","size":2,"local":{"latency_s":1e-5,"gap_s":1e-6}}],
        "latency_s":[[0,0.1],[0.1,0]],"gap_s":[[0,0.1],[0.1,0]]})");
}

TEST(Placement, finds_hosts_by_short_and_full_names) {
    const PlannableNetwork network(two_clusters(), "net.json");
    const auto placement = place_hosts(network.view(), {"b-1", "a-0.site", "a-1", "a-1", "b-0"});
    EXPECT_THAT(placement.missing, IsEmpty());
    using Place = network::GridView::Place;
    EXPECT_THAT(placement.places,
                ElementsAre(Place{1, 1}, Place{0, 0}, Place{0, 1}, Place{0, 1}, Place{1, 0}));
}

TEST(Placement, names_each_missing_host_once) {
    const PlannableNetwork network(two_clusters(), "net.json");
    const auto placement = place_hosts(network.view(), {"x", "a-0", "y", "x"});
    EXPECT_THAT(placement.missing, ElementsAre("x", "y"));
    EXPECT_THAT(placement.places, IsEmpty());
}

TEST(Placement, knows_when_all_sit_in_one_cluster) {
    EXPECT_TRUE(in_one_leaf({{1, 0}, {1, 1}, {1, 0}}));
    EXPECT_FALSE(in_one_leaf({{1, 0}, {0, 0}}));
}

TEST(PlannableNetwork, takes_pairwise_as_clusters_of_one) {
    const PlannableNetwork network(
        parse(R"({"format":"espalier-network","version":1,"model":"pairwise",
                  "nodes":[{"name":"x"},{"name":"y"}],"startup_s":[[0,0.1],[0.1,0]],
                  "bandwidth_Bps":[[0,1e6],[1e6,0]]})"),
        "net.json");
    EXPECT_EQ(network.view().leaves().size(), 2u);
    EXPECT_THAT(place_hosts(network.view(), {"y", "x"}).missing, IsEmpty());
}

TEST(PlannableNetwork, knows_which_messages_wait_with_the_library_it_was_measured_with) {
    const std::string rest = R"("format":"espalier-network","version":1,"model":"grid","clusters":[
        {"name":"a","size":2,"local":{"latency_s":1e-5,"gap_s":1e-6}}],"latency_s":[[0]],"gap_s":[[0]]})";
    const auto eager = [&](const std::string& measured) {
        const PlannableNetwork network(parse("{" + measured + rest), "net.json");
        return network.eager("MPI 4.1");
    };
    EXPECT_EQ(eager(R"("measured":{"mpi":"MPI 4.1","eager_bytes":8192},)"), Bytes(8192));
    EXPECT_EQ(eager(R"("measured":{"mpi":"MPI 4.2","eager_bytes":8192},)"), std::nullopt);
    EXPECT_EQ(eager(R"("measured":{"mpi":"MPI 4.1"},)"), std::nullopt);
    EXPECT_EQ(eager(R"("measured":{"mpi":"MPI 4.1","eager_bytes":"many"},)"), std::nullopt);
    EXPECT_EQ(eager(""), std::nullopt);
}

TEST(PlannableNetwork, refuses_other_models_in_one_line) {
    const auto sender = parse(R"({"format":"espalier-network","version":1,"model":"sender",
                                  "nodes":[{"name":"x","transmission_time":1}]})");
    try {
        const PlannableNetwork network(sender, "net.json");
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("net.json: model: "));
        EXPECT_THAT(error.what(), HasSubstr("'sender'"));
    }
}

}  // namespace
}  // namespace espalier::runtime
