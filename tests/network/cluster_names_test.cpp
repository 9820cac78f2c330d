#include "network/cluster_names.hpp"

#include <gmock/gmock.h>

namespace espalier::network {
namespace {

using testing::ElementsAre;

TEST(ClusterNames, are_what_the_hosts_have_in_common) {
    EXPECT_THAT(name_clusters({{"c0-0", "c0-1", "c0-10"}, {"c1-17", "c1-11"}}),
                ElementsAre("c0", "c1"));
    EXPECT_THAT(name_clusters({{"node-1.site.fr", "node-2.site.fr"}}), ElementsAre("node"));
}

TEST(ClusterNames, one_host_names_its_cluster) {
    EXPECT_THAT(name_clusters({{"alone.site"}}), ElementsAre("alone.site"));
}

TEST(ClusterNames, fall_back_to_the_first_host_where_a_prefix_is_empty_or_not_unique) {
    EXPECT_THAT(name_clusters({{"alpha", "beta"}}), ElementsAre("alpha"));
    EXPECT_THAT(name_clusters({{"node-1", "node-2"}, {"node-3", "node-4"}}),
                ElementsAre("node-1", "node-3"));
    EXPECT_THAT(name_clusters({{"node1", "node2"}, {"node"}}), ElementsAre("node1", "node"));
}

}  // namespace
}  // namespace espalier::network
