#include "measure/method/alike.hpp"

#include "core/random.hpp"

#include <gmock/gmock.h>

#include <cstdint>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;

constexpr double tolerance = 0.2;

Estimate estimate(double latency, double noise) {
    return {static_cast<float>(latency), static_cast<float>(noise)};
}

/// Latencies of hosts in groups of `size`, near inside and far between, of which noise of the size
/// `noise` makes others.
Estimates some(std::size_t hosts, std::size_t size, double near, double far, double noise,
               std::uint64_t seed) {
    Random random(seed);
    Estimates estimates(hosts);
    for (std::size_t i = 0; i < hosts; ++i)
        for (std::size_t j = i + 1; j < hosts; ++j) {
            const double latency = i / size == j / size ? near : far;
            const double off = noise * (2 * random.uniform() - 1);
            estimates.at(i, j) = estimate(latency + off, noise / 2);
        }
    return estimates;
}

TEST(Alike, are_hosts_that_noise_alone_tells_apart) {
    // As pings in turn are where hosts share processors: paths of 50 us seem to have 55 to 145.
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        EXPECT_EQ(alike(some(12, 12, 100e-6, 0, 45e-6, seed), tolerance).size(), 1U) << seed;
        EXPECT_THAT(alike(some(12, 4, 100e-6, 210e-6, 45e-6, seed), tolerance),
                    ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7),
                                ElementsAre(8, 9, 10, 11)))
            << seed;
    }
}

TEST(Alike, without_noise_the_tolerance_decides) {
    EXPECT_EQ(alike(some(6, 3, 100e-6, 119e-6, 0, 1), tolerance).size(), 1U);
    EXPECT_EQ(alike(some(6, 3, 100e-6, 121e-6, 0, 1), tolerance).size(), 2U);
}

TEST(Alike, a_host_that_is_nearer_to_a_cluster_than_to_another_host_stays_alone) {
    // 0 and 1 are near; 2 is farther from both, and 3 from all.
    Estimates estimates(4);
    const auto know = [&](std::size_t a, std::size_t b, double latency) {
        estimates.at(a, b) = estimate(latency, 0);
    };
    know(0, 1, 1e-4);
    for (const std::size_t host : {0U, 1U}) {
        know(host, 2, 1e-3);
        know(host, 3, 2e-3);
    }
    know(2, 3, 2e-3);
    EXPECT_THAT(alike(estimates, tolerance),
                ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
}

TEST(Alike, one_pair_that_was_held_up_is_outweighed_by_the_others) {
    Estimates estimates = some(6, 6, 50e-6, 0, 10e-6, 1);
    estimates.at(0, 3) = estimate(3e-3, 1e-3);
    EXPECT_EQ(alike(estimates, tolerance).size(), 1U);
}

TEST(Alike, hosts_of_which_nothing_is_known_are_by_themselves) {
    EXPECT_EQ(alike(Estimates(3), tolerance).size(), 3U);
}

}  // namespace
}  // namespace espalier::measure
