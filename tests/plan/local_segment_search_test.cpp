#include "plan/local/segment_search.hpp"

#include "core/random.hpp"
#include "plan/local/shapes.hpp"
#include "plan/local_support.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <set>

namespace espalier::plan::local::test {

namespace {

using ::testing::ElementsAre;

/// Counts what it is asked.
struct Asked {
    std::vector<std::size_t> segments;
    SegmentObjective of(const std::function<double(double)>& time) {
        return [this, time](std::size_t k) {
            segments.push_back(k);
            return Seconds(time(static_cast<double>(k)));
        };
    }
};

/// Start-ups against pipelining: one valley, at sqrt(ratio) segments.
std::function<double(double)> valley(double ratio) {
    return [ratio](double k) { return k + ratio / k; };
}

SegmentChoice best_of_all(SegmentLimits limits, const SegmentObjective& objective) {
    SegmentChoice best{1, objective(1)};
    for (std::size_t k = 2; k <= limits.greatest(); ++k)
        if (const Seconds time = objective(k); time < best.time) best = {k, time};
    return best;
}

}  // namespace

TEST(SegmentSearch, in_full_tries_the_message_halved_down_to_a_byte) {
    Asked asked;
    const auto best = best_segments_full({Bytes(100)}, asked.of(valley(300)));
    EXPECT_THAT(asked.segments, ElementsAre(1, 2, 4, 8, 16, 32, 64));
    EXPECT_EQ(best.segments, 16);
    EXPECT_EQ(best.time, Seconds(16 + 300.0 / 16));
}

TEST(SegmentSearch, in_full_includes_the_byte_itself) {
    Asked asked;
    (void)best_segments_full({Bytes(8)}, asked.of(valley(1)));
    EXPECT_THAT(asked.segments, ElementsAre(1, 2, 4, 8));
}

TEST(SegmentSearch, never_cuts_below_a_byte_or_beyond_its_limit) {
    for (const std::uint64_t bytes : {0U, 1U, 2U, 3U, 1000U}) {
        for (const std::size_t most : {1U, 2U, 5U, 4000U}) {
            Asked asked;
            const auto more_is_better = asked.of([](double k) { return -k; });
            const SegmentLimits limits{Bytes(bytes), most};
            const std::size_t greatest =
                std::min<std::size_t>(std::max<std::uint64_t>(bytes, 1), most);
            EXPECT_EQ(limits.greatest(), greatest);
            EXPECT_LE(best_segments_full(limits, more_is_better).segments, greatest);
            EXPECT_LE(best_segments_hill_climbing(limits, more_is_better, 7).segments, greatest);
            for (const std::size_t k : asked.segments) {
                EXPECT_GE(k, 1);
                EXPECT_LE(k, greatest);
            }
        }
    }
}

TEST(SegmentSearch, in_full_ends_at_the_largest_message_there_can_be) {
    Asked asked;
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const auto best = best_segments_full({Bytes(most)}, asked.of([](double k) { return -k; }));
    EXPECT_EQ(best.segments, std::uint64_t{1} << 63);
    EXPECT_EQ(asked.segments.size(), 64);
}

TEST(SegmentSearch, prefers_fewer_segments_among_equals) {
    Asked asked;
    const auto flat = asked.of([](double) { return 1.0; });
    EXPECT_EQ(best_segments_full({Bytes(1 << 20)}, flat).segments, 1);
    EXPECT_EQ(best_segments_hill_climbing({Bytes(1 << 20)}, flat).segments, 1);
}

TEST(SegmentSearch, by_hill_climbing_finds_the_bottom_of_one_valley_from_anywhere) {
    for (const double ratio : {0.1, 2.0, 90.0, 5'000.0, 1e6, 3e7, 1e12})
        for (const std::size_t start : {1U, 8U, 1024U, 65'536U}) {
            SCOPED_TRACE(std::to_string(ratio) + " from " + std::to_string(start));
            Asked asked;
            const SegmentLimits limits{Bytes(65'536)};
            const auto found = best_segments_hill_climbing(limits, asked.of(valley(ratio)), start);
            Asked everything;
            EXPECT_EQ(found.time, best_of_all(limits, everything.of(valley(ratio))).time);
        }
}

TEST(SegmentSearch, by_hill_climbing_asks_little_and_nothing_twice) {
    for (const double ratio : {90.0, 5'000.0, 1e6, 3e7}) {
        Asked asked;
        const auto found =
            best_segments_hill_climbing({Bytes(1 << 22)}, asked.of(valley(ratio)), 1);
        EXPECT_EQ(std::set(asked.segments.begin(), asked.segments.end()).size(),
                  asked.segments.size());
        EXPECT_LE(static_cast<double>(asked.segments.size()),
                  4 + 3 * std::log2(static_cast<double>(found.segments)));
    }
}

TEST(SegmentSearch, by_hill_climbing_is_never_worse_than_its_start) {
    Random random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<double> rough(257);
        for (double& time : rough) time = random.uniform();
        const SegmentObjective objective = [&](std::size_t k) { return Seconds(rough[k]); };
        const SegmentLimits limits{Bytes(256)};
        const auto full = best_segments_full(limits, objective);
        const auto climbed = best_segments_hill_climbing(limits, objective, full.segments);
        EXPECT_LE(climbed.time, full.time);
        EXPECT_EQ(climbed.time, objective(climbed.segments));
        EXPECT_GE(climbed.time, best_of_all(limits, objective).time);
    }
}

TEST(SegmentSearch, works_on_the_formula_and_on_the_simulated_time_alike) {
    const Problem instance = problem(8, 1 << 20, gigabit());
    const SegmentLimits limits{instance.bytes, 256};
    const SegmentObjective formula = [&](std::size_t k) {
        return chain_segmented().formula(instance, k);
    };
    const SegmentObjective simulated = [&](std::size_t k) {
        return simulated_makespan(chain_segmented().make(instance, 0, k), instance.link);
    };
    const auto by_formula = best_segments_full(limits, formula);
    const auto by_simulation = best_segments_full(limits, simulated);
    EXPECT_EQ(by_formula.segments, by_simulation.segments);
    EXPECT_GT(by_formula.segments, 1);
    EXPECT_NEAR(by_formula.time.value, by_simulation.time.value, 1e-9);
    EXPECT_LT(by_formula.time, formula(1));
}

}  // namespace espalier::plan::local::test
