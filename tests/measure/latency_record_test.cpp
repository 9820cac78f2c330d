#include "measure/method/latency_record.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;

constexpr double tolerance = 0.2;

void add(LatencyRecord& record, Way way, std::size_t a, std::size_t b,
         const std::vector<double>& round_trips) {
    for (const double time : round_trips) record.add(way, a, b, time);
}

TEST(RoundTrips, are_those_of_each_pair_whichever_host_comes_first) {
    RoundTrips found(4);
    EXPECT_TRUE(found.empty());
    found.add(3, 1, 0.5);
    found.add(1, 2, 0.75);
    found.add(1, 3, 0.25);
    EXPECT_FALSE(found.empty());
    EXPECT_TRUE(found.has(1, 3));
    EXPECT_FALSE(found.has(2, 3));
    EXPECT_THAT(found(1, 3), ElementsAre(0.5, 0.25));
    EXPECT_THAT(found(3, 1), ElementsAre(0.5, 0.25));
    EXPECT_THAT(found(0, 1), ElementsAre());
    std::vector<std::size_t> others;
    found.for_each([&](std::size_t a, std::size_t b, const std::vector<double>& seconds) {
        EXPECT_EQ(a, 1U);
        EXPECT_EQ(seconds, found(a, b));
        others.push_back(b);
    });
    EXPECT_THAT(others, ElementsAre(2, 3));
}

TEST(LatencyRecord, the_least_of_a_pair_counts) {
    LatencyRecord record(2, tolerance);
    add(record, Way::in_rounds, 0, 1, {0.5, 0.25, 0.75});
    EXPECT_DOUBLE_EQ(record.latencies()(0, 1).value(), 0.125);
    // However undisturbed later ones should be: nothing is shorter than its path.
    add(record, Way::in_turn, 1, 0, {0.4, 0.3});
    EXPECT_DOUBLE_EQ(record.latencies()(0, 1).value(), 0.125);
    EXPECT_DOUBLE_EQ(record.round_trip(0, 1), 0.25);
}

TEST(LatencyRecord, what_company_adds_to_pairs_is_taken_off_others) {
    // 0 to 2 are far from 3. Company adds 200 us to each round trip.
    LatencyRecord record(4, tolerance);
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = a + 1; b < 3; ++b) {
            add(record, Way::in_rounds, a, b, {300e-6, 301e-6});
            add(record, Way::in_turn, a, b, {100e-6, 101e-6});
        }
    add(record, Way::in_rounds, 0, 3, {2200e-6, 2201e-6});
    EXPECT_NEAR(record.latencies()(0, 3).value(), 1000e-6, 1e-9);
    EXPECT_NEAR(record.latencies()(0, 1).value(), 50e-6, 1e-9);
    EXPECT_THAT(record.clusters(), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3)));
}

TEST(LatencyRecord, what_company_adds_to_near_pairs_is_not_taken_off_far_ones) {
    // 0 and 1, 2 and 3, 4 and 5 are near each other, where company adds 200 us to each round trip;
    // to others it adds 40 us.
    LatencyRecord record(6, tolerance);
    for (const std::size_t a : {0U, 2U, 4U}) {
        add(record, Way::in_rounds, a, a + 1, {300e-6, 301e-6});
        add(record, Way::in_turn, a, a + 1, {100e-6, 101e-6});
    }
    add(record, Way::in_rounds, 0, 2, {2040e-6, 2041e-6});
    add(record, Way::in_turn, 0, 2, {2000e-6, 2001e-6});
    add(record, Way::in_rounds, 0, 4, {4040e-6, 4041e-6});
    EXPECT_THAT(record.clusters(),
                ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4, 5)));
    EXPECT_NEAR(record.latencies()(0, 4).value(), 2000e-6, 1e-9);
}

TEST(LatencyRecord, a_pair_that_was_held_up_even_in_its_turn_tells_no_hosts_apart) {
    // 1 and 2 share a processor: one of them waits for the other's time slice.
    LatencyRecord record(3, tolerance);
    add(record, Way::in_turn, 0, 1, {70e-6, 71e-6});
    add(record, Way::in_turn, 0, 2, {70e-6, 71e-6});
    add(record, Way::in_turn, 1, 2, {4e-3, 8e-3});
    EXPECT_THAT(record.clusters(), ElementsAre(ElementsAre(0, 1, 2)));
    // A path that goes by way of another, and is not clearly longer, is none of that.
    LatencyRecord line(3, tolerance);
    add(line, Way::in_turn, 0, 1, {70e-6, 71e-6});
    add(line, Way::in_turn, 1, 2, {70e-6, 71e-6});
    add(line, Way::in_turn, 0, 2, {150e-6, 151e-6});
    EXPECT_THAT(line.clusters(), ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
}

TEST(LatencyRecord, is_settled_where_most_pairs_met_twice_and_took_as_long) {
    LatencyRecord record(3, tolerance);
    add(record, Way::in_rounds, 0, 1, {100e-6});
    EXPECT_FALSE(record.is_settled({{0, 1}})) << "it met once";
    add(record, Way::in_rounds, 0, 1, {100.5e-6});
    EXPECT_TRUE(record.is_settled({{0, 1}}));
    EXPECT_FALSE(record.is_settled({{0, 1, 2}}));
    add(record, Way::in_rounds, 0, 2, {100e-6, 150e-6});
    add(record, Way::in_rounds, 1, 2, {100e-6, 150e-6});
    EXPECT_FALSE(record.is_settled({{0, 1, 2}}));
    EXPECT_TRUE(record.noisy());
}

}  // namespace
}  // namespace espalier::measure
