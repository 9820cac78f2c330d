#include "measure/method/hosts.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using testing::ElementsAre;

TEST(Hosts, ranks_of_one_host_are_put_together_in_the_order_of_first_ranks) {
    const auto hosts = group_by_host({"b", "a", "b", "c", "a"});
    ASSERT_EQ(hosts.size(), 3U);
    EXPECT_EQ(hosts[0].name, "b");
    EXPECT_THAT(hosts[0].ranks, ElementsAre(0, 2));
    EXPECT_THAT(hosts[1].ranks, ElementsAre(1, 4));
    EXPECT_THAT(hosts[2].ranks, ElementsAre(3));
}

TEST(Hosts, short_and_full_names_agree_and_the_full_one_is_kept) {
    const auto hosts = group_by_host({"n1", "n2.site.org", "n1.site.org", "n2"});
    ASSERT_EQ(hosts.size(), 2U);
    EXPECT_EQ(hosts[0].name, "n1.site.org");
    EXPECT_THAT(hosts[0].ranks, ElementsAre(0, 2));
    EXPECT_EQ(hosts[1].name, "n2.site.org");
}

TEST(Hosts, full_names_of_different_domains_are_different_hosts) {
    EXPECT_EQ(group_by_host({"n1.orsay", "n1.toulouse"}).size(), 2U);
}

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
}  // namespace espalier::measure
