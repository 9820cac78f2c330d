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

}  // namespace
}  // namespace espalier::measure
