#include "core/statistics.hpp"
#include "core/infinity.hpp"

#include <gmock/gmock.h>

namespace espalier {
namespace {

using testing::ElementsAre;

TEST(Statistics, median_is_the_middle_or_the_mean_of_the_two_middle_ones) {
    EXPECT_EQ(median(std::vector{5.0, 1.0, 3.0}), 3);
    EXPECT_EQ(median(std::vector{4.0, 1.0, 3.0, 100.0}), 3.5);
}

TEST(Statistics, lower_quartile_is_the_least_of_a_few_and_ignores_late_samples) {
    EXPECT_EQ(lower_quartile(std::vector{7.0, 2.0, 9.0}), 2);
    EXPECT_EQ(lower_quartile(std::vector{9.0, 8.0, 1.0, 2.0, 3.0, 50.0, 60.0, 70.0, 80.0}), 3);
}

TEST(Statistics, percentiles_lie_between_their_neighbours) {
    EXPECT_EQ(percentile(std::vector{7.0}, 90), 7);
    EXPECT_EQ(percentile(std::vector{3.0, 1.0, 2.0}, 50), 2);
    EXPECT_EQ(percentile(std::vector{4.0, 1.0, 2.0, 3.0}, 50), 2.5);
    EXPECT_EQ(percentile(std::vector{1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0}, 90),
              10);
    EXPECT_EQ(percentile(std::vector{5.0, 1.0, 3.0}, 0), 1);
    EXPECT_EQ(percentile(std::vector{5.0, 1.0, 3.0}, 100), 5);
}

TEST(Statistics, deviation_is_the_median_distance_from_the_median) {
    EXPECT_EQ(deviation(std::vector{1.0, 2.0, 4.0, 8.0, 100.0}), 3);
    EXPECT_EQ(deviation(std::vector{6.0}), 0);
}

TEST(Statistics, falls_within_the_noise_are_levelled) {
    const std::vector noise(4, 1.0);
    EXPECT_THAT(without_noisy_falls(std::vector{1.0, 4.0, 3.0, 6.0}, noise),
                ElementsAre(1, 3.5, 3.5, 6));
}

TEST(Statistics, a_fall_beyond_the_noise_stays) {
    const std::vector noise(3, 0.1);
    EXPECT_THAT(without_noisy_falls(std::vector{1.0, 4.0, 3.0}, noise), ElementsAre(1, 4, 3));
}

TEST(Statistics, with_unlimited_noise_the_result_is_the_isotonic_regression) {
    const std::vector noise(5, infinity);
    EXPECT_THAT(without_noisy_falls(std::vector{3.0, 2.0, 1.0, 5.0, 4.0}, noise),
                ElementsAre(2, 2, 2, 4.5, 4.5));
}

TEST(Statistics, holds_means_within_intervals_of_students_distribution) {
    // Of -1 and 1, by turns, of n samples: quantiles as tables of the distribution have them.
    const std::vector<std::pair<std::size_t, double>> quantiles{
        {2, 12.7062}, {3, 4.30265}, {4, 3.18245}, {6, 2.57058}, {10, 2.26216}, {31, 2.04227}};
    for (const auto& [count, quantile] : quantiles) {
        std::vector<double> samples;
        for (std::size_t k = 0; k < count; ++k) samples.push_back(static_cast<double>(k));
        // Of 0, 1, … n - 1 the variance is n (n + 1) / 12.
        const auto n = static_cast<double>(count);
        const double error = std::sqrt((n + 1) / 12);
        EXPECT_NEAR(confidence_of_mean(samples) / error, quantile, 2e-3 * quantile) << count;
    }
    EXPECT_EQ(confidence_of_mean(std::vector{3.0, 3.0, 3.0}), 0);
}

}  // namespace
}  // namespace espalier
