#include "directory/rules.hpp"

#include "core/error.hpp"
#include "directory/measurement_text.hpp"
#include "memory_source.hpp"
#include "random_measurements.hpp"

#include <gtest/gtest.h>

namespace espalier::directory {
namespace {

TEST(Rules, come_back_as_they_were_written) {
    for (const char* text : {"newest", "newest:1h", "median:10min", "median", "p90:1d", "p99.9:90s",
                             "p0:2d", "p100:1.5s", "newest:25h"}) {
        EXPECT_EQ(to_string(parse_rule(text, "--old")), text);
    }
    EXPECT_EQ(parse_rule("p50:60min", "x"), parse_rule("median:1h", "x"));
    EXPECT_EQ(parse_rule("newest:90", "x").window, Seconds(90));
}

TEST(Rules, that_are_none_are_refused) {
    for (const char* text : {"", "newest:", "newest:0", "oldest", "p", "p101", "p-1", "pfast",
                             "median:-1h", "median:1y", "p90:", ":1h", "mean:1h"})
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
