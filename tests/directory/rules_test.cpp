#include "directory/rules.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "directory/measurement_text.hpp"
#include "memory_source.hpp"
#include "random_measurements.hpp"

#include <gtest/gtest.h>

namespace espalier::directory {
namespace {

TEST(Rules, come_back_as_they_were_written) {
    for (const char* text : {"newest", "newest:1h", "median:10min", "median", "p90:1d", "p99.9:90s",
                             "p0:2d", "p100:1.5s", "newest:25h", "expected", "expected:30d"}) {
        EXPECT_EQ(to_string(parse_rule(text, "--old")), text);
    }
    EXPECT_EQ(parse_rule("p50:60min", "x"), parse_rule("median:1h", "x"));
    EXPECT_EQ(parse_rule("newest:90", "x").window, Seconds(90));
}

TEST(Rules, that_are_none_are_refused) {
    for (const char* text :
         {"", "newest:", "newest:0", "oldest", "p", "p101", "p-1", "pfast", "median:-1h",
          "median:1y", "p90:", ":1h", "mean:1h", "expected:0", "expect"})
        EXPECT_THROW((void)parse_rule(text, "--old"), InputError) << text;
}

double only_value(const Rule& rule, const MemorySource& source, Time at) {
    const auto values = apply(rule, source, at);
    EXPECT_EQ(values.size(), 1U);
    return values.empty() ? -1 : values.front().value;
}

TEST(Rules, look_at_nothing_that_is_newer_than_the_time_or_older_than_the_window) {
    const Pair pair{"a", "b"};
    const MemorySource source({measured(0, pair, Latency{1}), measured(10, pair, Latency{2}),
                               measured(20, pair, Latency{4})});
    EXPECT_EQ(only_value(parse_rule("newest", "x"), source, second(15)), 2);
    EXPECT_EQ(only_value(parse_rule("newest", "x"), source, second(20)), 4);
    EXPECT_EQ(only_value(parse_rule("median", "x"), source, second(20)), 2);
    EXPECT_EQ(only_value(parse_rule("median:10s", "x"), source, second(20)), 3);
    EXPECT_TRUE(apply(parse_rule("newest:5s", "x"), source, second(30)).empty());
    EXPECT_TRUE(apply(parse_rule("newest", "x"), source, second(-1)).empty());
}

TEST(Rules, call_a_bandwidth_worse_when_it_is_less) {
    const Pair pair{"a", "b"};
    std::vector<Measurement> measurements;
    for (int i = 0; i <= 10; ++i) {
        measurements.push_back(measured(i, pair, Latency{1.0 + i}));
        measurements.push_back(measured(i, pair, Bandwidth{1.0 + i}));
    }
    const auto values = apply(parse_rule("p90", "x"), MemorySource(measurements), second(20));
    ASSERT_EQ(values.size(), 2U);
    EXPECT_DOUBLE_EQ(values[0].value, 10);
    EXPECT_DOUBLE_EQ(values[1].value, 2);
}

TEST(Rules, tell_how_far_values_are_off_the_better_the_more_there_are) {
    const Pair pair{"a", "b"};
    const auto spread = [&](const char* rule, int count, double factor) {
        std::vector<Measurement> measurements;
        for (int i = 0; i < count; ++i)
            measurements.push_back(measured(i, pair, Latency{i % 2 == 0 ? 1 : factor}));
        const auto values =
            apply(parse_rule(rule, "x"), MemorySource(measurements), second(count - 1));
        return values.front().spread;
    };
    EXPECT_FALSE(spread("newest", 10, 2));
    // Nothing but the uncertainty of networks that state none.
    EXPECT_DOUBLE_EQ(*spread("median", 1, 2), 0.25);
    EXPECT_DOUBLE_EQ(*spread("expected", 1, 2), 0.25);
    EXPECT_LT(*spread("median", 100, 1), 0.03);
    EXPECT_NEAR(*spread("median", 100, 4), 1, 0.01);  // the logarithms are off by that of 2
    EXPECT_GT(*spread("median", 4, 1), *spread("median", 8, 1));
    EXPECT_FALSE(spread("median", 4, 0)) << "0 has no logarithm";
}

/// A pair's latency was 2 s for two looks, and is 4 s since (3 s, as far as is known).
std::vector<Measurement> changed_once(const Pair& pair) {
    return {measured(0, pair, Latency{2}), measured(2, pair, Latency{2}),
            measured(4, pair, Latency{4})};
}

TEST(Rules, expect_the_last_value_while_values_last_and_then_what_it_returns_to) {
    const Pair pair{"a", "b"};
    std::vector<Measurement> measurements = changed_once(pair);
    const auto expected = [&](const char* rule, double at) {
        return only_value(parse_rule(rule, "x"), MemorySource(measurements), second(at));
    };
    EXPECT_DOUBLE_EQ(expected("expected", 2), 2);  // what comes later says nothing
    EXPECT_DOUBLE_EQ(expected("expected", 5), 4);
    // 2 lasted for 3 s. 4 is as old at 6 s, and one of two ends then; after it is 2, 4 or 6.
    EXPECT_DOUBLE_EQ(expected("expected", 6), 4);
    // Of two seconds nothing is known but that it is 4.
    EXPECT_DOUBLE_EQ(expected("expected:2s", 6), 4);
    measurements.push_back(measured(6, pair, Latency{4}));
    measurements.push_back(measured(8, pair, Latency{1}));
    // Levels ended at ages of 3 s and 4 s; 1 is 3 s old at 10 s, and one in three ends.
    // After it is 1, 2, 4, or 7/3 * (2 + 1/3) / 2.
    const double centre = (1 + 2 + 4 + 7.0 / 3 * (2 + 1.0 / 3) / 2) / 4;
    EXPECT_NEAR(expected("expected", 10), 2.0 / 3 * 1 + centre / 3, 1e-12);
    const auto value = apply(parse_rule("expected", "x"), MemorySource(measurements), second(10));
    EXPECT_EQ(value.front().measurements, 5U);
    EXPECT_EQ(value.front().oldest, second(0));
    EXPECT_EQ(value.front().newest, second(8));
}

TEST(Rules, expect_of_a_bandwidth_what_a_byte_takes) {
    const Pair pair{"a", "b"};
    const MemorySource source({measured(0, pair, Bandwidth{0.5}), measured(2, pair, Bandwidth{0.5}),
                               measured(4, pair, Bandwidth{0.125})});
    // 2 s a byte, then 8: as above half a chance of 8 s, else 2, 8 or 5 * 4.
    const double expected = 0.5 * 8 + 0.5 * (2 + 8 + 20) / 3;
    // The latencies' ends are not the bandwidths'.
    EXPECT_DOUBLE_EQ(only_value(parse_rule("expected", "x"), source, second(6)), 1 / expected);
}

TEST(Rules, expect_of_one_pair_by_what_another_of_its_sender_showed) {
    Random random(6);
    // Every second both latencies of a are measured; after 3 s to 5 s both are others.
    std::vector<Measurement> measurements;
    const auto measure = [&](int time, const char* to, double value) {
        measurements.push_back(measured(time, {"a", to}, Latency{value}));
    };
    int time = 0;
    while (time < 400) {
        const double to_b = random.uniform(1, 9);
        const double to_c = random.uniform(1, 9);
        for (const int end = time + 3 + static_cast<int>(random.below(3)); time < end; ++time) {
            measure(time, "b", to_b);
            measure(time, "c", to_c);
        }
    }
    for (const int end = time + 4; time < end; ++time) {
        measure(time, "b", 9);
        measure(time, "c", 9);
    }
    const auto expected_of_c = [&](double value_of_b) {
        std::vector<Measurement> all = measurements;
        all.push_back(measured(time, {"a", "b"}, Latency{value_of_b}));
        return apply(parse_rule("expected", "x"), MemorySource(all), second(time)).at(1).value;
    };
    EXPECT_NEAR(expected_of_c(9), 9, 0.5);
    EXPECT_NEAR(expected_of_c(8), 5, 1);
}

TEST(Rules, expect_of_one_pair_by_what_others_of_the_quantity_showed) {
    std::vector<Measurement> measurements = changed_once({"a", "b"});
    measurements.push_back(measured(4, {"c", "d"}, Latency{1}));
    measurements.push_back(measured(4, {"c", "d"}, Bandwidth{1}));
    const auto values = apply(parse_rule("expected", "x"), MemorySource(measurements), second(7));
    ASSERT_EQ(values.size(), 3U);
    // At an age of 3 s half of them end; what is new is twice what was.
    EXPECT_DOUBLE_EQ(values[1].value, 0.5 * 1 + 0.5 * (1 + 2) / 2);
    EXPECT_DOUBLE_EQ(values[2].value, 1);
}

/// All pairs of measurements are compared, and values sorted: slow, and plainly right.
std::vector<Value> naive(const Rule& rule, const std::vector<Measurement>& all, Time at) {
    const auto counts = [&](const Measurement& m) {
        if (m.at > at) return false;
        const std::chrono::duration<double> age = at - m.at;
        return !rule.window || age.count() <= rule.window->value;
    };
    const auto same = [](const Measurement& a, const Measurement& b) {
        return a.pair == b.pair && a.quantity == b.quantity && a.size == b.size &&
               company_of(a) == company_of(b);
    };
    std::vector<Value> values;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!counts(all[i])) continue;
        bool first = true;
        std::vector<const Measurement*> group;
        for (std::size_t j = 0; j < all.size(); ++j) {
            if (!counts(all[j]) || !same(all[i], all[j])) continue;
            first = first && j >= i;
            group.push_back(&all[j]);
        }
        if (!first) continue;
        std::stable_sort(group.begin(), group.end(),
                         [](const auto* a, const auto* b) { return a->at < b->at; });
        Value value;
        value.pair = all[i].pair;
        value.quantity = all[i].quantity;
        value.size = all[i].size;
        value.company = company_of(all[i]);
        value.newest = group.back()->at;
        value.by = group.back()->by;
        if (rule.kind == Rule::Kind::newest) {
            value.value = group.back()->value;
            value.oldest = value.newest;
        } else {
            std::vector<double> sorted;
            for (const auto* m : group) sorted.push_back(m->value);
            std::sort(sorted.begin(), sorted.end());
            const double percent =
                value.quantity == Quantity::bandwidth ? 100 - rule.percentile : rule.percentile;
            const double place = percent / 100 * static_cast<double>(sorted.size() - 1);
            const auto low = static_cast<std::size_t>(place);
            const std::size_t high = std::min(low + 1, sorted.size() - 1);
            value.value =
                sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
            value.oldest = group.front()->at;
            value.measurements = group.size();
        }
        values.push_back(std::move(value));
    }
    std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
        return std::tie(a.pair, a.quantity, a.size, a.company) <
               std::tie(b.pair, b.quantity, b.size, b.company);
    });
    return values;
}

TEST(Rules, agree_with_a_naive_look_at_random_measurements) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const auto measurements = random_measurements(random, 1 + random.below(120));
        const MemorySource source(measurements);
        for (const char* text : {"newest", "newest:7s", "median", "median:12s", "p90:20s", "p5"}) {
            const Rule rule = parse_rule(text, "x");
            const Time at = second(static_cast<double>(random.below(45)));
            const auto found = apply(rule, source, at);
            const auto expected = naive(rule, measurements, at);
            ASSERT_EQ(found.size(), expected.size()) << seed << ' ' << text;
            for (std::size_t i = 0; i < found.size(); ++i) {
                EXPECT_EQ(found[i].pair, expected[i].pair);
                EXPECT_EQ(found[i].size, expected[i].size);
                EXPECT_EQ(found[i].company, expected[i].company);
                EXPECT_DOUBLE_EQ(found[i].value, expected[i].value) << seed << ' ' << text;
                EXPECT_EQ(found[i].newest, expected[i].newest);
                EXPECT_EQ(found[i].oldest, expected[i].oldest);
                EXPECT_EQ(found[i].by, expected[i].by);
                EXPECT_EQ(found[i].measurements, expected[i].measurements);
            }
        }
    }
}

}  // namespace
}  // namespace espalier::directory
