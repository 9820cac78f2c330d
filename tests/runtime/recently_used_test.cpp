#include "runtime/logic/recently_used.hpp"

#include <gmock/gmock.h>

#include <string>

namespace espalier::runtime {
namespace {

TEST(RecentlyUsed, forgets_what_was_not_asked_for_longest) {
    RecentlyUsed<int, std::string> cache(2);
    cache.insert(1, "one");
    cache.insert(2, "two");
    ASSERT_NE(cache.find(1), nullptr);
    cache.insert(3, "three");
    EXPECT_EQ(cache.find(2), nullptr);
    ASSERT_NE(cache.find(1), nullptr);
    EXPECT_EQ(*cache.find(1), "one");
    EXPECT_EQ(*cache.find(3), "three");
    EXPECT_EQ(cache.size(), 2u);
}

}  // namespace
}  // namespace espalier::runtime
