#include "measure/method/cards.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <set>

namespace espalier::measure {
namespace {

using ::testing::ElementsAre;
using Clusters = std::vector<std::vector<std::size_t>>;

/// Bytes per second of cards.
constexpr double fast = 60e6;
constexpr double slow = 20e6;
constexpr double latency = 50e-6;

struct Found {
    Clusters clusters;
    std::size_t steps = 0;
    std::uint64_t bytes = 0;
};

/// What is found where the hosts of `slow_hosts` have another card than the others, and each
/// message of host 1 waits for its machine, for some seconds.
Found found_with(const Clusters& clusters, std::size_t hosts,
                 const std::set<std::size_t>& slow_hosts, bool in_turn, double times_faster = 1,
                 double waits_for_machine = 0) {
    LatencyMatrix latencies(hosts);
    for (std::size_t i = 0; i < hosts; ++i)
        for (std::size_t j = 0; j < hosts; ++j)
            if (i != j) latencies.at(i, j) = latency;
    CardPlan plan(clusters, latencies, in_turn, 100);
    Found found;
    while (const auto step = plan.next(0)) {
        std::vector<Timed> timed(hosts, Timed{std::vector<float>(step->waits(), 0), {}});
        for (std::size_t time = 0; time < step->times; ++time)
            step->for_each_meeting([&](const LatencyStep::Meeting& pair) {
                const auto& [a, b, round] = pair;
                const bool is_slow = slow_hosts.contains(a) || slow_hosts.contains(b);
                // Busy machines: some messages are held up, in the first step all of host 2.
                const bool held_up = found.steps == 0 && (a == 2 || b == 2);
                const double luck = held_up ? 2 : (a + b) % 3 == 0 ? 1.3 : 1;
                const double rate = times_faster * (is_slow ? slow : fast);
                const double one_way = latency + luck * static_cast<double>(step->bytes) / rate +
                                       (a == 1 || b == 1 ? waits_for_machine : 0);
                const bool meet = step->way == Way::in_rounds;
                timed[a].waits[step->place(time, round)] =
                    static_cast<float>((meet ? 1.5 : 2) * one_way);
                timed[b].waits[step->place(time, round)] =
                    static_cast<float>(meet ? 0.5 * one_way : 0);
            });
        plan.record(*step, timed, 0);
        EXPECT_EQ(step->way, in_turn ? Way::in_turn : Way::in_rounds);
        ++found.steps;
        found.bytes = step->bytes;
    }
    found.clusters = plan.clusters();
    return found;
}

TEST(Cards, that_are_slow_stand_out) {
    const Clusters two{{0, 1, 2, 3, 4}, {5, 6, 7, 8}};
    for (const bool in_turn : {false, true}) {
        EXPECT_EQ(found_with(two, 9, {}, in_turn).clusters, two);
        EXPECT_THAT(found_with(two, 9, {3}, in_turn).clusters,
                    ElementsAre(ElementsAre(0, 1, 2, 4), ElementsAre(3), ElementsAre(5, 6, 7, 8)));
        EXPECT_THAT(found_with(two, 9, {6}, in_turn).clusters,
                    ElementsAre(ElementsAre(0, 1, 2, 3, 4), ElementsAre(5, 7, 8), ElementsAre(6)));
    }
}

TEST(Cards, of_several_hosts_that_are_slow_are_alike) {
    const Clusters one{{0, 1, 2, 3, 4, 5, 6, 7}};
    EXPECT_THAT(found_with(one, 8, {1, 2, 6}, true).clusters,
                ElementsAre(ElementsAre(0, 3, 4, 5, 7), ElementsAre(1, 2, 6)));
    EXPECT_EQ(found_with(one, 8, {0, 1, 2, 3, 4, 5, 6, 7}, true).clusters, one);
}

TEST(Cards, of_hosts_that_met_only_slow_ones_at_first_are_told) {
    Clusters one(1);
    std::set<std::size_t> slow_hosts;
    for (std::size_t host = 0; host < 22; ++host) {
        one.front().push_back(host);
        if (host >= 8) slow_hosts.insert(host);
    }
    const Clusters two{{0, 1, 2, 3, 4, 5, 6, 7}, {slow_hosts.begin(), slow_hosts.end()}};
    for (const bool in_turn : {false, true}) {
        const Found found = found_with(one, 22, slow_hosts, in_turn);
        EXPECT_EQ(found.clusters, two);
        EXPECT_LE(found.steps, 10U);
    }
}

TEST(Cards, of_three_hosts_or_two_are_not_told_apart) {
    EXPECT_EQ(found_with({{0, 1}, {2, 3, 4}}, 5, {3}, true).steps, 0U);
}

TEST(Cards, that_are_fast_are_told_apart_by_longer_messages) {
    const Clusters one{{0, 1, 2, 3, 4, 5, 6, 7}};
    const Found usual = found_with(one, 8, {5}, true);
    const Found faster = found_with(one, 8, {5}, true, 20);
    EXPECT_EQ(faster.clusters, usual.clusters);
    EXPECT_GT(faster.bytes, usual.bytes);
}

TEST(Cards, of_busy_machines_are_told_from_slow_ones) {
    const Clusters one{{0, 1, 2, 3, 4, 5, 6, 7}};
    for (const bool in_turn : {false, true}) {
        EXPECT_EQ(found_with(one, 8, {}, in_turn, 1, 0.5e-3).clusters, one);
        EXPECT_THAT(found_with(one, 8, {6}, in_turn, 1, 0.5e-3).clusters,
                    ElementsAre(ElementsAre(0, 1, 2, 3, 4, 5, 7), ElementsAre(6)));
    }
}

TEST(Cards, take_no_longer_than_there_is_time) {
    CardPlan plan({{0, 1, 2, 3, 4}}, LatencyMatrix(5), true, 0.5);
    EXPECT_TRUE(plan.next(0.4).has_value());
    EXPECT_FALSE(plan.next(0.49).has_value());
}

}  // namespace
}  // namespace espalier::measure
