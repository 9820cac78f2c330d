#include "replay.hpp"
#include "questions.hpp"
#include "round_trips.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/random.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace espalier::bench {
namespace {

const PolicyOutcome& of(const ReplayOutcome& outcome, Policy policy) {
    return outcome[static_cast<std::size_t>(policy)];
}

/// Three nodes: from 0 to 1, from 1 to 2, from 0 to 2, and all others.
Matrix<Seconds> triangle(double first, double second, double straight, double other) {
    Matrix<Seconds> latencies(3, 3, Seconds(other));
    latencies(0, 1) = Seconds(first);
    latencies(1, 2) = Seconds(second);
    latencies(0, 2) = Seconds(straight);
    return latencies;
}

TEST(Replay, of_what_changes_every_other_slice_is_as_computed_by_hand) {
    // By node 1 it takes 2 s, or 10.01 s where straight it takes 4.04 s.
    const auto quiet = triangle(1, 1, 4, 9);
    const auto busy = triangle(1.01, 9, 4.04, 18);
    ReplaySettings settings;
    settings.call.bandwidth = BytesPerSecond(1e15);
    const ReplayOutcome found =
        replay({quiet, quiet, busy, busy, quiet, quiet, busy, busy}, settings);
    const double late = 10.01 / 4.04;  // by node 1 although busy
    const double early = 4.0 / 2.0;    // straight although quiet
    const auto expect_ratios = [&](Policy policy, const std::vector<double>& ratios) {
        ASSERT_EQ(of(found, policy).ratios.size(), ratios.size());
        for (std::size_t i = 0; i < ratios.size(); ++i)
            EXPECT_NEAR(of(found, policy).ratios[i], ratios[i], 1e-9)
                << name_of(policy) << ", slice " << i + 2;
    };
    expect_ratios(Policy::once, {1, late, late, 1, 1, late, late});
    expect_ratios(Policy::last, {1, late, 1, early, 1, late, 1});
    // The ends at ages of 1.5 s (from the first slice on) and 2 s (from the middle between two) are
    // known once they were seen: the third change is foreseen.
    expect_ratios(Policy::expected, {1, late, 1, early, 1, 1, 1});
    // All six pairs, and then the four, each time, over which no message went.
    EXPECT_EQ(of(found, Policy::once).asked, 6 * 16U);
    EXPECT_EQ(of(found, Policy::last).asked, (6 + 7 * 4) * 16U);
    EXPECT_EQ(of(found, Policy::last).moved, 7 * 2 * (16U << 10U));
}

std::vector<Matrix<Seconds>> random_slices(std::size_t nodes, std::size_t slices) {
    Random random(7);
    std::vector<Matrix<Seconds>> found;
    for (std::size_t s = 0; s < slices; ++s) {
        found.emplace_back(nodes, nodes);
        for (std::size_t i = 0; i < nodes; ++i)
            for (std::size_t j = 0; j < nodes; ++j)
                found[s](i, j) = s > 0 && random.uniform() < 0.8
                                     ? found[s - 1](i, j)
                                     : Seconds(random.uniform(0.01, 0.5));
    }
    return found;
}

TEST(Replay, asks_for_at_most_a_hundredth_of_the_bytes_of_the_calls) {
    for (const std::uint64_t bytes : {1U << 10U, 16U << 10U})
        for (const std::size_t calls : {1U, 3U}) {
            ReplaySettings settings;
            settings.call.bytes = Bytes(bytes);
            settings.calls_per_slice = calls;
            const ReplayOutcome found = replay(random_slices(6, 40), settings);
            for (const Policy policy : {Policy::last_asked, Policy::expected_asked}) {
                const PolicyOutcome& outcome = of(found, policy);
                EXPECT_EQ(outcome.ratios.size(), 39 * calls);
                EXPECT_EQ(outcome.moved, 39 * calls * 5 * bytes);
                EXPECT_LE(100 * outcome.asked, outcome.moved) << name_of(policy);
                EXPECT_GT(outcome.asked, 30 * 16U) << name_of(policy);
            }
        }
}

TEST(Questions, are_first_about_what_would_bring_the_message_earliest_and_then_about_the_oldest) {
    Expectations known(9);
    for (std::size_t pair = 0; pair < 9; ++pair)
        known.add(pair, Seconds(pair == 3 ? 0 : 1), pair == 5 ? 2 : 10);
    // Node 2 has it at 10 s, and from node 1 would have it at 5 s.
    const std::vector<Seconds> arrivals{Seconds(0), Seconds(3), Seconds(10)};
    const auto asked = [&] { return worth_most(known, arrivals, Seconds(2), Seconds(0)); };
    EXPECT_EQ(asked(), 1 * 3 + 2);
    known.add(5, Seconds(2), 2);
    EXPECT_EQ(asked(), 1 * 3 + 0);
    for (const std::size_t pair : {1U, 2U, 3U, 6U, 7U}) known.add(pair, Seconds(2), 10);
    EXPECT_EQ(asked(), std::nullopt);
}

TEST(RoundTrips, are_halved_and_what_is_missing_is_as_it_was) {
    const std::string path = std::filesystem::temp_directory_path() / "espalier-round-trips.csv";
    write_file(
        path, "slice,from,to,rtt_s\n1,n2,n10,0.5\n1,n10,n2,\n2,n2,n10,0\n2,n10,n2,3\n4,n2,n10,1\n");
    const RoundTrips trips = read_round_trips(path);
    EXPECT_EQ(trips.nodes, (std::vector<std::string>{"n2", "n10"}));
    ASSERT_EQ(trips.slices.size(), 4U);
    const auto of_pair = [&](std::size_t from, std::size_t to) {
        std::vector<double> all;
        for (const auto& slice : trips.slices) all.push_back(slice(from, to).value);
        return all;
    };
    EXPECT_EQ(of_pair(0, 1), (std::vector{0.25, 0.00125, 0.00125, 0.5}));
    EXPECT_EQ(of_pair(1, 0), (std::vector{1.5, 1.5, 1.5, 1.5}));
    write_file(path, "slice,from,to,rtt_s\n1,n2,n10,0.5\n");
    EXPECT_THROW((void)read_round_trips(path), InputError);
    std::filesystem::remove(path);
}

}  // namespace
}  // namespace espalier::bench
