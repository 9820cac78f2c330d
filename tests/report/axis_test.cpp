#include "report/axis.hpp"

#include "core/random.hpp"
#include "core/text.hpp"

#include <gmock/gmock.h>
#include <cmath>

namespace espalier::report {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> labels(Range range, Scale scale, AxisUnit unit, std::size_t at_most) {
    std::vector<std::string> out;
    for (const Tick& tick : ticks(range, scale, unit, at_most)) out.push_back(tick.label);
    return out;
}

TEST(Ticks, times_share_one_unit) {
    EXPECT_THAT(labels({0, 1.2}, Scale::linear, AxisUnit::seconds, 8),
                ElementsAre("0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1.0 s", "1.2 s"));
    EXPECT_THAT(labels({0, 0.0123}, Scale::linear, AxisUnit::seconds, 5),
                ElementsAre("0 ms", "5 ms", "10 ms"));
    EXPECT_THAT(labels({0, 4.7e-5}, Scale::linear, AxisUnit::seconds, 6),
                ElementsAre("0 us", "10 us", "20 us", "30 us", "40 us"));
    EXPECT_THAT(labels({0, 3e-9}, Scale::linear, AxisUnit::seconds, 4),
                ElementsAre("0 ns", "1 ns", "2 ns", "3 ns"));
    EXPECT_THAT(labels({0, 12345}, Scale::linear, AxisUnit::seconds, 4),
                ElementsAre("0 s", "5000 s", "10000 s"));
}

TEST(Ticks, an_empty_range_has_one) {
    EXPECT_THAT(labels({0, 0}, Scale::linear, AxisUnit::seconds, 8), ElementsAre("0 s"));
}

TEST(Ticks, sizes_step_by_powers_of_two) {
    EXPECT_THAT(labels({0, 4 << 20}, Scale::linear, AxisUnit::bytes, 5),
                ElementsAre("0 B", "1 MiB", "2 MiB", "3 MiB", "4 MiB"));
    EXPECT_THAT(labels({8, 4 << 20}, Scale::log, AxisUnit::bytes, 5),
                ElementsAre("16 B", "256 B", "4 KiB", "64 KiB", "1 MiB"));
}

TEST(Ticks, logarithmic_ones_are_decades_or_finer) {
    EXPECT_THAT(labels({1e-5, 10}, Scale::log, AxisUnit::seconds, 8),
                ElementsAre("10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s", "10 s"));
    EXPECT_THAT(labels({1, 100}, Scale::log, AxisUnit::number, 8),
                ElementsAre("1", "2", "5", "10", "20", "50", "100"));
    EXPECT_THAT(labels({0.01, 1}, Scale::log, AxisUnit::number, 3),
                ElementsAre("0.01", "0.1", "1"));
}

/// Whatever the range: few, in order, inside, evenly spaced, and each label says its value.
TEST(Ticks, any_linear_range_of_times_is_marked_truly) {
    Random random(7);
    for (int round = 0; round < 3000; ++round) {
        const double to = std::pow(10.0, random.uniform(-8, 4));
        const double from = round % 2 == 0 ? 0 : to * random.uniform(0, 0.95);
        const std::size_t at_most = 2 + random.below(12);
        const std::vector<Tick> marks =
            ticks({from, to}, Scale::linear, AxisUnit::seconds, at_most);
        ASSERT_LE(marks.size(), at_most);
        ASSERT_GE(marks.size() + 1, at_most < 5 ? 1U : at_most / 3);
        for (std::size_t i = 0; i < marks.size(); ++i) {
            ASSERT_GE(marks[i].value, from - 1e-8 * to);
            ASSERT_LE(marks[i].value, to * (1 + 1e-8));
            const double read = parse_seconds(marks[i].label, "label").value;
            ASSERT_NEAR(read, marks[i].value, 1e-9 * to) << marks[i].label;
            if (i >= 2) {
                ASSERT_NEAR(marks[i].value - marks[i - 1].value,
                            marks[i - 1].value - marks[i - 2].value, 1e-9 * to);
            }
        }
    }
}

TEST(Rounded, covers_the_range_with_round_ends) {
    Random random(8);
    for (int round = 0; round < 2000; ++round) {
        const double from = std::pow(10.0, random.uniform(-6, 3));
        const double to = from * std::pow(10.0, random.uniform(0, 4));
        for (const Scale scale : {Scale::linear, Scale::log})
            for (const AxisUnit unit : {AxisUnit::number, AxisUnit::seconds}) {
                const Range out = rounded({from, to}, scale, unit, 6);
                ASSERT_LE(out.from, from * (1 + 1e-8));
                ASSERT_GE(out.to, to * (1 - 1e-8));
                ASSERT_LT(out.from, out.to);
                const std::vector<Tick> marks = ticks(out, scale, unit, 50);
                ASSERT_GE(marks.size(), 2U);
                if (scale == Scale::log) {
                    ASSERT_GT(out.from, from / 2.6);
                    ASSERT_LT(out.to, to * 2.6);
                }
            }
    }
    EXPECT_LT(rounded({5, 5}, Scale::linear, AxisUnit::number, 6).from, 5);
    EXPECT_GT(rounded({0, 0}, Scale::linear, AxisUnit::number, 6).to, 0);
    EXPECT_LT(rounded({1, 1}, Scale::log, AxisUnit::seconds, 6).from, 1);
}

TEST(AxisMap, maps_ends_to_ends_and_the_middle_by_its_scale) {
    const AxisMap linear({0, 10}, {100, 200});
    EXPECT_DOUBLE_EQ(linear(0), 100);
    EXPECT_DOUBLE_EQ(linear(10), 200);
    EXPECT_DOUBLE_EQ(linear(2.5), 125);
    const AxisMap log({1, 100}, {300, 100}, Scale::log);
    EXPECT_DOUBLE_EQ(log(1), 300);
    EXPECT_DOUBLE_EQ(log(10), 200);
    EXPECT_DOUBLE_EQ(AxisMap({0, 0}, {5, 9})(0), 5);
}

}  // namespace
}  // namespace espalier::report
