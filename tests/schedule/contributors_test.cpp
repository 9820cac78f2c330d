#include "schedule/contributors.hpp"

#include "core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace espalier::schedule {
namespace {

Contributors of(const std::set<std::size_t>& ranks) {
    Contributors result;
    for (const std::size_t rank : ranks) result.add(Contributors(rank));
    return result;
}

std::set<std::size_t> random_set(Random& random) {
    std::set<std::size_t> ranks;
    for (std::size_t count = random.below(5); count > 0; --count) ranks.insert(random.below(8));
    return ranks;
}

bool is_run(const std::set<std::size_t>& ranks) {
    return !ranks.empty() && *ranks.rbegin() - *ranks.begin() + 1 == ranks.size();
}

TEST(Contributors, behave_as_sets_of_ranks) {
    Random random(7);
    for (int n = 0; n < 5000; ++n) {
        const auto a = random_set(random);
        const auto b = random_set(random);
        std::set<std::size_t> both;
        std::ranges::set_union(a, b, std::inserter(both, both.end()));
        std::set<std::size_t> common;
        std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
        Contributors sum = of(a);
        sum.add(of(b));
        ASSERT_EQ(sum, of(both));
        ASSERT_EQ(of(a).contains(of(b)), std::ranges::includes(a, b));
        ASSERT_EQ(of(a).overlaps(of(b)), !common.empty());
        ASSERT_EQ(of(a) == of(b), a == b);
        ASSERT_EQ(of(a).empty(), a.empty());
        ASSERT_EQ(of(a).adjoins(of(b)), is_run(a) && is_run(b) && common.empty() && is_run(both));
        ASSERT_EQ(of(a).precedes(of(b)), is_run(a) && is_run(b) && *a.rbegin() + 1 == *b.begin());
    }
}

TEST(Contributors, all_are_the_ranks_below_a_number) {
    EXPECT_EQ(Contributors::all(3), of({0, 1, 2}));
    EXPECT_TRUE(Contributors::all(0).empty());
}

}  // namespace
}  // namespace espalier::schedule
