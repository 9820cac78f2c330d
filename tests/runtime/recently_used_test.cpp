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

/// A number that counts how often it is compared.
struct Counted {
    int value = 0;
    static inline int comparisons = 0;

    friend bool operator<(const Counted& a, const Counted& b) {
        ++comparisons;
        return a.value < b.value;
    }
};

TEST(RecentlyUsed, finds_one_among_many_without_looking_at_them_all) {
    RecentlyUsed<Counted, int> cache(512);
    for (int key = 0; key < 512; ++key) cache.insert({key}, key);
    Counted::comparisons = 0;
    ASSERT_NE(cache.find({0}), nullptr);
    EXPECT_LE(Counted::comparisons, 32);
}

}  // namespace
}  // namespace espalier::runtime
