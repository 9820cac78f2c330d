#include "measure/method/latency_plan.hpp"

#include "core/infinity.hpp"
#include "core/random.hpp"
#include "measure/method/alike.hpp"
#include "measure/method/tournament.hpp"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

namespace espalier::measure {
namespace {

/// Hosts in sites, near inside and far between, on which a plan is carried out; each round takes as
/// long as its slowest meeting.
struct Job {
    std::vector<std::size_t> site;
    double near = 50e-6;
    double far = 10e-3;
    double clock = 0;
    std::size_t rounds = 0;
    double apart = 1e-3;
    /// Added to what a meeting takes.
    std::function<double()> noise = [] { return 0.0; };
    /// Pings in turn have none of it.
    bool quiet = false;
    /// A host that is slow to answer in the first steps, as if something else ran there.
    std::optional<std::size_t> busy = {};
    std::size_t busy_steps = 0;
    std::size_t steps = 0;
    double held_up = 0;  ///< seconds, meetings by other programs

    /// The sites from the first of which to the second the way is longer than back, and by how much
    /// than half of the round trip.
    std::optional<std::pair<std::size_t, std::size_t>> asymmetric = {};
    double by = 0;

    [[nodiscard]] double longer(std::size_t from, std::size_t to) const {
        const std::pair ends(site[from], site[to]);
        if (asymmetric && ends == *asymmetric) return by;
        return asymmetric && ends == std::pair(asymmetric->second, asymmetric->first) ? -by : 0;
    }
    /// Of a host's clock; no two are alike.
    [[nodiscard]] static double ahead(std::size_t host) {
        return 1000.0 * static_cast<double>(host * host % 37);
    }
    [[nodiscard]] double latency(std::size_t a, std::size_t b) const {
        return site[a] == site[b] ? near : far + apart * static_cast<double>(site[a] + site[b]);
    }

    /// How long each host waits, which is said by round, and by time.
    std::vector<Timed> play(const LatencyStep& step) {
        const Timed nothing{std::vector<float>(step.waits(), 0),
                            std::vector<double>(step.last - step.first, infinity)};
        std::vector<Timed> timed(site.size(), nothing);
        double slowest_of_all = 0;
        for (std::size_t time = 0; time < step.times; ++time) {
            std::vector<double> slowest(step.last - step.first, 0);
            step.for_each_meeting([&](const LatencyStep::Meeting& pair) {
                const auto& [a, b, round] = pair;
                const double answers = steps < busy_steps && (a == busy || b == busy) ? 100e-6 : 0;
                const double disturbed = step.way == Way::in_turn && quiet ? 0 : noise();
                const double one_way = latency(a, b) + answers + disturbed;
                // Whoever came first to a meeting waits longer.
                const bool meet = step.way == Way::in_rounds;
                timed[a].waits[step.place(time, round)] =
                    static_cast<float>((meet ? 1.5 : 2) * one_way);
                timed[b].waits[step.place(time, round)] =
                    static_cast<float>((meet ? 0.5 : 2) * one_way);
                for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
                    double& least = timed[to].passages[round - step.first];
                    least = std::min(least, one_way + longer(from, to) + ahead(to) - ahead(from));
                }
                double& most = slowest[round - step.first];
                most = std::max(most, one_way);
            });
            if (step.way == Way::at_once || step.way == Way::among_few) {
                slowest_of_all = std::max(slowest_of_all, *std::ranges::max_element(slowest));
                continue;
            }
            for (const double one_way : slowest) clock += 2 * one_way;
            if (step.way == Way::in_rounds) rounds += slowest.size();
        }
        clock += 2 * slowest_of_all + (step.way == Way::in_rounds ? held_up : 0);
        return timed;
    }

    void carry_out(LatencyPlan& plan) {
        while (const auto step = plan.next(clock)) {
            const auto timed = play(*step);
            clock += 2 * far;
            plan.record(*step, timed, clock);
            ++steps;
        }
    }
};

/// Each site's hosts together, ordered by their first.
std::vector<std::vector<std::size_t>> truth(const Job& job) {
    std::vector<std::vector<std::size_t>> clusters(
        *std::max_element(job.site.begin(), job.site.end()) + 1);
    for (std::size_t host = 0; host < job.site.size(); ++host)
        clusters[job.site[host]].push_back(host);
    std::erase_if(clusters, [](const auto& cluster) { return cluster.empty(); });
    std::sort(clusters.begin(), clusters.end());
    return clusters;
}

Job job_of(const std::vector<std::size_t>& sizes, std::uint64_t shuffle_seed) {
    Job job;
    for (std::size_t s = 0; s < sizes.size(); ++s) job.site.insert(job.site.end(), sizes[s], s);
    Random random(shuffle_seed);
    if (shuffle_seed > 0)
        for (std::size_t i = job.site.size(); i > 1; --i)
            std::swap(job.site[i - 1], job.site[random.below(i)]);
    return job;
}

TEST(LatencyPlan, measures_all_pairs_where_there_is_time) {
    Job job = job_of({6, 5, 1}, 0);
    // Numbers of few binary digits, which are not rounded on the way.
    job.near = 1.0 / 16384;
    job.far = 1.0 / 32;
    job.apart = 1.0 / 1024;
    LatencyPlan plan(12, 10, 0.2);
    job.carry_out(plan);
    const LatencyMatrix latencies = plan.found().latencies();
    EXPECT_EQ(unknown_pairs(latencies), 0U);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t j = 0; j < 12; ++j)
            if (i != j) {
                EXPECT_DOUBLE_EQ(latencies(i, j).value(), job.latency(i, j));
            }
    EXPECT_EQ(plan.found().clusters(), truth(job));
    EXPECT_TRUE(plan.warnings().empty());
}

TEST(LatencyPlan, tells_ways_there_and_back_apart_of_hosts_that_all_met_at_once) {
    Job job = job_of({3, 4, 2, 3, 2}, 7);
    job.asymmetric = {1, 3};
    job.by = 2e-3;
    LatencyPlan plan(job.site.size(), 10, 0.2);
    job.carry_out(plan);
    const Asymmetry found = find_asymmetry(plan.found().passages(), plan.found().latencies(),
                                           plan.found().clusters(), plan.found().noisy());
    for (std::size_t a = 0; a < job.site.size(); ++a)
        for (std::size_t b = 0; b < job.site.size(); ++b)
            EXPECT_NEAR(longer_way(found, {a}, {b}), job.longer(a, b), 1e-9) << a << " " << b;
}

TEST(LatencyPlan, a_second_look_is_enough_where_nothing_changes) {
    Job job = job_of({4, 4}, 0);
    LatencyPlan plan(8, 1000, 0.2);
    job.carry_out(plan);
    EXPECT_EQ(job.rounds, 2 * 3U) << "near hosts only";
}

TEST(LatencyPlan, samples_where_all_pairs_would_take_too_long_and_says_what_it_skipped) {
    for (const std::uint64_t seed : {0U, 1U, 2U, 3U, 4U, 5U}) {
        Job job = job_of({40, 30, 20, 10}, seed);
        // All 99 rounds take 2.2 s.
        LatencyPlan plan(100, 3, 0.2);
        job.carry_out(plan);
        EXPECT_GT(unknown_pairs(plan.found().latencies()), 1000U);
        EXPECT_EQ(plan.found().clusters(), truth(job)) << "seed " << seed;
        EXPECT_LE(job.clock, 0.5 * 3 + 0.3);
        ASSERT_EQ(plan.warnings().size(), 1U);
        EXPECT_THAT(plan.warnings().front(), testing::HasSubstr("of the 4950 pairs"));
    }
}

TEST(LatencyPlan, thousands_of_hosts_take_no_memory_for_each_pair) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer keeps what was freed";
#endif
    const auto most_kilobytes = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    constexpr std::size_t sites = 4;
    constexpr std::size_t hosts_of_a_site = 1000;
    Job job = job_of(std::vector(sites, hosts_of_a_site), 0);
    const long before = most_kilobytes();
    LatencyPlan plan(job.site.size(), 2, 0.2);
    job.carry_out(plan);
    constexpr auto hosts = static_cast<long>(sites * hosts_of_a_site);
    EXPECT_LT(most_kilobytes() - before, hosts * hosts / 1024);
}

TEST(LatencyPlan, one_host_and_two_hosts_are_no_special_cases) {
    Job one = job_of({1}, 0);
    LatencyPlan alone(1, 10, 0.2);
    one.carry_out(alone);
    EXPECT_EQ(alone.found().clusters().size(), 1U);
    Job two = job_of({1, 1}, 0);
    LatencyPlan pair(2, 10, 0.2);
    two.carry_out(pair);
    EXPECT_EQ(unknown_pairs(pair.found().latencies()), 0U);
}

TEST(LatencyPlan, disturbances_do_not_last) {
    Job job = job_of({1, 1}, 0);
    job.far = 0;
    job.apart = 1.0 / 1024;
    LatencyPlan plan(2, 10, 0.2);
    Random random(3);
    // Only what is found in turn is undisturbed.
    job.noise = [&random] { return 1e-3 + 1e-3 * random.uniform(); };
    job.quiet = true;
    job.carry_out(plan);
    EXPECT_DOUBLE_EQ(plan.found().latencies()(0, 1).value(), job.latency(0, 1));
}

TEST(LatencyPlan, what_some_hosts_of_a_cluster_found_in_turn_holds_for_all) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        Job job = job_of({9, 8, 6}, 0);
        job.far = 100e-6;
        Random random(seed);
        job.noise = [&random] { return 300e-6 * random.uniform(); };
        job.quiet = true;
        LatencyPlan plan(23, 2, 0.2);
        job.carry_out(plan);
        EXPECT_TRUE(plan.disturbed());
        EXPECT_EQ(plan.found().clusters(), truth(job)) << seed;
        const LatencyMatrix latencies = plan.found().latencies();
        for (std::size_t i = 0; i < 23; ++i)
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_NEAR(latencies(i, j).value(), job.latency(i, j), 1e-9) << i << ' ' << j;
    }
}

/// By latencies that are without noise.
std::vector<std::vector<std::size_t>> clusters_of(const LatencyMatrix& latencies) {
    Estimates estimates(latencies.size());
    for (std::size_t i = 0; i < latencies.size(); ++i)
        for (const auto& [j, latency] : latencies.from(i))
            estimates.at(i, j).latency = static_cast<float>(latency);
    return alike(estimates, 0.2);
}

TEST(Sampling, a_host_that_met_no_near_one_is_released_when_its_partner_turns_out_to_be_elsewhere) {
    // 0 and 1 are near each other, as 2 and 3 are; so far only 0-2 and 1-3 have met.
    LatencyMatrix latencies(4);
    const auto know = [&](std::size_t a, std::size_t b, double latency) {
        latencies.at(a, b) = latency;
        latencies.at(b, a) = latency;
    };
    know(0, 2, 1e-3);
    know(1, 3, 1e-3);
    EXPECT_EQ(clusters_of(latencies).size(), 2U);
    know(0, 1, 1e-4);
    const auto groups = groups_to_measure(clusters_of(latencies), latencies, 0.2, 10, 1);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_THAT(groups.front(), testing::ElementsAre(0, 2, 3));
}

TEST(Sampling, a_cluster_as_near_to_others_as_to_itself_speaks_with_all_its_members) {
    // 1 and 2 are of one site; 0 is equally far from both, and met 2 first.
    LatencyMatrix latencies(4);
    const auto know = [&](std::size_t a, std::size_t b, double latency) {
        latencies.at(a, b) = latency;
        latencies.at(b, a) = latency;
    };
    know(0, 2, 1e-3);
    know(1, 3, 1e-4);
    know(0, 1, 1e-3);
    const auto groups = groups_to_measure(clusters_of(latencies), latencies, 0.2, 10, 1);
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_THAT(groups.front(), testing::IsSupersetOf({0U, 1U, 2U}));
}

TEST(Sampling, groups_hold_every_host_once_and_leave_rounds_to_the_levels_above) {
    const LatencyMatrix nothing(50);
    const auto groups = groups_to_measure({}, nothing, 0.2, 12, 0);
    std::vector<std::size_t> all;
    for (const auto& group : groups) {
        EXPECT_LE(tournament_rounds(group.size()), 7U);
        all.insert(all.end(), group.begin(), group.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all.size(), 50U);
    EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST(LatencyPlan, near_hosts_meet_more_often_and_their_noise_makes_no_clusters) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
        Job job = job_of({9, 4}, 0);
        Random random(seed);
        job.noise = [&random] { return 150e-6 * random.uniform() * random.uniform(); };
        LatencyPlan plan(13, 10, 0.2);
        job.carry_out(plan);
        EXPECT_THAT(plan.found().clusters(), testing::ElementsAreArray(truth(job))) << seed;
    }
}

TEST(LatencyPlan, a_host_that_was_busy_is_met_again_before_it_is_told_apart) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
        for (const bool always : {false, true}) {
            Job job = job_of({9, 4}, 0);
            Random random(seed);
            job.noise = [&random] { return 20e-6 * random.uniform() * random.uniform(); };
            job.busy = 3;
            job.busy_steps = always ? 100 : 4;
            LatencyPlan plan(13, 2, 0.2);
            job.carry_out(plan);
            EXPECT_EQ(job.steps, 7U);
            auto clusters = truth(job);
            if (always) {
                std::erase(clusters.front(), 3);
                clusters.push_back({3});
                std::ranges::sort(clusters);
            }
            EXPECT_THAT(plan.found().clusters(), testing::ElementsAreArray(clusters)) << seed;
        }
}

TEST(LatencyPlan, where_hosts_are_far_a_few_of_the_greatest_round_trips_are_enough) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        Job job = job_of({5, 4, 4, 2, 3}, seed);
        job.far = 120e-3;
        Random random(seed);
        job.noise = [&random] { return 50e-6 * random.uniform() * random.uniform(); };
        LatencyPlan plan(18, 4.6, 0.2);
        job.carry_out(plan);
        EXPECT_EQ(unknown_pairs(plan.found().latencies()), 0U);
        EXPECT_EQ(plan.found().clusters(), truth(job));
        EXPECT_TRUE(plan.found().noisy());
        EXPECT_LT(job.clock, 9 * 2 * job.far);
    }
}

TEST(LatencyPlan, near_hosts_meet_even_where_all_would_take_too_long) {
    Job job = job_of({12, 12}, 0);
    job.far = 100e-6;
    LatencyPlan plan(24, 2, 0.2);
    // A busy machine: what began late ends late.
    job.clock = 0.95;
    job.noise = [] { return 2e-3; };
    job.carry_out(plan);
    EXPECT_GE(job.rounds, 2 + 11U);
}

TEST(LatencyPlan, meetings_that_are_held_up_leave_their_time_to_turns) {
    Job job = job_of({5, 5, 5}, 0);
    job.far = 100e-6;
    Random random(7);
    job.noise = [&random] { return 400e-6 * random.uniform(); };
    job.quiet = true;
    job.held_up = 0.5;
    LatencyPlan plan(15, 3, 0.2);
    job.carry_out(plan);
    std::size_t in_turn = 0;
    plan.found().of(Way::in_turn).for_each([&](auto, auto, const auto&) { ++in_turn; });
    EXPECT_GE(in_turn, 3 * 10U) << "all pairs inside the sites";
    EXPECT_THAT(plan.found().clusters(), testing::ElementsAreArray(truth(job)));
}

TEST(LatencyPlan, turns_come_to_an_end_where_clusters_never_settle) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Job job = job_of(std::vector<std::size_t>(12, 2), 0);
        job.far = 2e-3;
        Random random(seed);
        // Other programs take less and less, so that each turn finds shorter times.
        job.noise = [&] { return 10e-3 * random.uniform() * std::exp(-0.5 * job.clock); };
        LatencyPlan plan(24, 4, 0.2);
        job.carry_out(plan);
        EXPECT_LT(job.clock, 1.5) << "twice 0.4 s, and what the last turns take longer";
    }
}

TEST(LatencyPlan, tells_a_noisy_clock_from_one_that_is_not) {
    for (const bool noisy : {false, true}) {
        Job job{.site = {0, 0, 0, 1, 1}};
        Random random(4);
        if (noisy) job.noise = [&] { return 1e-4 * random.uniform(); };
        LatencyPlan plan(job.site.size(), 10, 0.2);
        job.carry_out(plan);
        EXPECT_EQ(plan.found().noisy(), noisy);
    }
}

}  // namespace
}  // namespace espalier::measure
