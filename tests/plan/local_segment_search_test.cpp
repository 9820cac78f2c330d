#include "plan/local/shapes.hpp"
#include "plan/local/tree.hpp"
#include "plan/local_support.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <vector>

namespace espalier::plan::local::test {

using ::testing::ElementsAre;

TEST(SegmentSearch, tries_the_message_halved_as_often_as_it_may) {
    std::vector<std::size_t> asked;
    // Start-ups against pipelining: one valley, at sqrt(300) segments.
    const std::size_t best = best_segments(100, [&](std::size_t k) {
        asked.push_back(k);
        return Seconds(static_cast<double>(k) + 300 / static_cast<double>(k));
    });
    EXPECT_THAT(asked, ElementsAre(1, 2, 4, 8, 16, 32, 64));
    EXPECT_EQ(best, 16);
}

TEST(SegmentSearch, never_goes_beyond_its_limit) {
    const auto more_is_better = [](std::size_t k) { return Seconds(-static_cast<double>(k)); };
    EXPECT_EQ(best_segments(1, more_is_better), 1);
    EXPECT_EQ(best_segments(2, more_is_better), 2);
    EXPECT_EQ(best_segments(8, more_is_better), 8);
    EXPECT_EQ(best_segments(1000, more_is_better), 512);
    EXPECT_EQ(best_segments(std::numeric_limits<std::size_t>::max(), more_is_better),
              std::size_t{1} << 63);
}

TEST(SegmentSearch, prefers_fewer_segments_among_equals) {
    EXPECT_EQ(best_segments(1 << 20, [](std::size_t) { return Seconds(1); }), 1);
}

TEST(SegmentSearch, finds_the_same_by_the_formula_as_by_the_simulated_time) {
    const Problem instance = problem(8, 1 << 20, gigabit());
    const std::size_t by_formula =
        best_segments(256, [&](std::size_t k) { return chain_segmented().formula(instance, k); });
    const std::size_t by_simulation = best_segments(256, [&](std::size_t k) {
        return simulated_makespan(chain_segmented().make(instance, 0, k), instance.link);
    });
    EXPECT_EQ(by_formula, by_simulation);
    EXPECT_GT(by_formula, 1);
}

}  // namespace espalier::plan::local::test
