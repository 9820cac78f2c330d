#include "measure/method/volley.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace espalier::measure {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// When each probe's messages use the link, by the expectations.
std::vector<std::pair<double, double>> stays(const std::vector<Probe>& volley,
                                             const std::vector<Expectation>& expected) {
    std::vector<std::pair<double, double>> found;
    double start = 0;
    for (std::size_t i = 0; i < volley.size(); ++i) {
        found.emplace_back(start + expected[i].latency,
                           start + expected[i].latency + expected[i].length);
        start += volley[i].pause;
    }
    return found;
}

TEST(Volley, probes_are_spaced_so_that_none_uses_the_link_with_another) {
    // The larger message is faster on its way and would catch up.
    const std::vector<Expectation> expected{
        {64, 1, 0.010, 0.0005, 0.02}, {64, 8, 0.010, 0.002, 0.02}, {128, 1, 0.008, 0.001, 0.02}};
    const auto volley = schedule(expected);
    ASSERT_TRUE(volley.has_value());
    const auto used = stays(*volley, expected);
    for (std::size_t i = 0; i < used.size(); ++i)
        for (std::size_t j = i + 1; j < used.size(); ++j)
            EXPECT_TRUE(used[i].second <= used[j].first || used[j].second <= used[i].first);
    EXPECT_EQ(volley->back().pause, 0);
}

TEST(Volley, no_answer_may_come_back_before_all_is_sent) {
    EXPECT_TRUE(schedule({{64, 1, 0.01, 0.010, 0.02}, {64, 2, 0.01, 0.02, 0.03}}).has_value());
    EXPECT_FALSE(schedule({{64, 1, 0.01, 0.018, 0.02}, {64, 2, 0.01, 0.02, 0.03}}).has_value());
}

TEST(Volley, those_that_met_are_found_out_by_their_arrivals) {
    const std::vector<Probe> volley{{100, 1, 0.5}, {100, 3, 0.1}, {200, 1, 0.6}, {200, 2, 0}};
    const std::map<std::uint64_t, double> gaps{{100, 0.2}, {200, 0.3}};
    // Arrivals at 10.2, 11.1, 11.9 and 13.0: the burst of the first came until 11.1, the 200 bytes
    // from 11.6 on.
    const std::vector<ProbeLink::Answer> apart{{0, 10.7}, {0.5, 11.1}, {0.6, 11.8}, {1.2, 12.3}};
    EXPECT_THAT(sizes_that_met(volley, apart, gaps, 0.5), IsEmpty());
    // Now the 200 bytes arrive from 10.9 on.
    const std::vector<ProbeLink::Answer> together{{0, 10.7}, {0.5, 11.1}, {0.6, 11.1}, {1.2, 12.3}};
    EXPECT_THAT(sizes_that_met(volley, together, gaps, 0.5), ElementsAre(100, 200));
}

TEST(Volley, a_burst_that_followed_too_soon_is_found_out_by_its_gap) {
    const std::vector<Probe> volley{{100, 1, 0.2}, {100, 4, 0}};
    EXPECT_THAT(sizes_that_met(volley, std::vector<ProbeLink::Answer>{{0, 10}, {0.2, 20}},
                               {{100, 0.2}}, 0.5),
                ElementsAre(100));
}

}  // namespace
}  // namespace espalier::measure
