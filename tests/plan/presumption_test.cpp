// A plan that hangs on what nobody measured says so.

#include "network/grid_view.hpp"
#include "network/json.hpp"
#include "plan/race.hpp"

#include <gmock/gmock.h>

namespace espalier::plan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two clusters of two nodes; a message of 1000 bytes takes 1 s between them.
network::Network two_clusters(const std::string& more) {
    return network::parse_network(
        R"({"format":"espalier-network","version":1,"model":"grid","clusters":[
             {"name":"a","size":2,"local":{"latency_s":0,"gap_s":{"1":1e-6,"1000":0.001}}},
             {"name":"b","size":2,"local":{"latency_s":0,"gap_s":{"1":1e-6,"1000":0.001}}}],
            "latency_s":[[0,0],[0,0]],
            "gap_s":[[0,{"1":0.001,"1000":1}],[{"1":0.001,"1000":1},0]])" +
            more + "}",
        "net");
}

Race direct_all_gather(const network::Network& network) {
    const network::GridView view(*network.grid());
    return race(Job::everywhere(view),
                {.kind = schedule::Kind::allgather, .bytes = Bytes(1000), .algorithm = "direct"});
}

TEST(Presumption, is_told_with_the_time_that_the_plan_would_take_without_it) {
    const auto network = two_clusters("");
    const Race found = direct_all_gather(network);
    ASSERT_TRUE(found.presumption);
    EXPECT_THAT(found.presumption->capacities, ElementsAre("between a and b"));
    // Eight blocks cross what one message fills; else all nodes send at once, three blocks each.
    EXPECT_NEAR(found.best().plan.timeline.makespan.value, 8, 0.1);
    EXPECT_NEAR(found.presumption->otherwise.value, 3, 0.1);
    EXPECT_THAT(explain(*found.presumption), HasSubstr("between a and b"));
}

TEST(Presumption, is_none_where_the_network_states_what_is_shared) {
    EXPECT_FALSE(direct_all_gather(two_clusters(R"(,"unstated":"separate")")).presumption);
    EXPECT_FALSE(direct_all_gather(two_clusters(
                                       R"(,"shared":[{"name":"way","capacity_Bps":1e3,
                                           "pairs":[["a","b"],["b","a"]]}])"))
                     .presumption);
}

}  // namespace
}  // namespace espalier::plan
