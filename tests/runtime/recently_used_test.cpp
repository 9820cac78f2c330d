#include "runtime/logic/recently_used.hpp"
#include "runtime/logic/planned_collective.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <set>
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

    friend bool operator==(const Counted& a, const Counted& b) {
        ++comparisons;
        return a.value == b.value;
    }
    struct Hash {
        std::size_t operator()(const Counted& of) const { return std::hash<int>()(of.value); }
    };
};

TEST(RecentlyUsed, are_no_more_used_by_a_look_at_all) {
    RecentlyUsed<int, int> values(2);
    values.insert(1, 10);
    values.insert(2, 20);
    int sum = 0;
    values.for_each([&](int key, int value) { sum += key * value; });
    EXPECT_EQ(sum, 50);
    values.insert(3, 30);
    EXPECT_EQ(values.find(1), nullptr);
}

TEST(RecentlyUsed, finds_one_among_many_without_a_look_at_others) {
    RecentlyUsed<Counted, int, Counted::Hash> cache(512);
    for (int key = 0; key < 512; ++key) cache.insert({key}, key);
    Counted::comparisons = 0;
    ASSERT_NE(cache.find({0}), nullptr);
    EXPECT_EQ(Counted::comparisons, 1);
}

TEST(RecentlyUsed, spreads_signatures_that_differ_in_one_thing_alone) {
    std::set<std::size_t> places;
    std::size_t signatures = 0;
    const auto enter = [&](const Signature& signature) {
        places.insert(Signature::Hash()(signature));
        ++signatures;
    };
    for (int root = 0; root < 100; ++root) enter({.root = root});
    for (std::uint64_t bytes = 1; bytes < 100; ++bytes) enter({.bytes = Bytes(bytes)});
    for (const auto kind : {schedule::Kind::reduce, schedule::Kind::scan}) enter({.kind = kind});
    enter({.ordered = true});
    enter({.exact = false});
    enter({.direct = true});
    enter({.uneven = true});
    EXPECT_EQ(places.size(), signatures);
}

}  // namespace
}  // namespace espalier::runtime
