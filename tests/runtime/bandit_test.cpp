#include "runtime/logic/bandit.hpp"

#include "core/infinity.hpp"
#include "core/random.hpp"
#include "runtime/bandit_job.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace espalier::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Variant = Bandit::Variant;

constexpr Variant native = Bandit::native;
using test::Job;
using test::within;

/// A job of one plan and MPI's own algorithm, that take so long.
Job job_of(double plan, double own, double predicted_plan, double predicted_own) {
    Job job(3, {{within(predicted_plan, 1.25)}, within(predicted_own, 1.25), Seconds(0)},
            [=](Variant variant, std::size_t rank) {
                return (variant == native ? own : plan) * (rank == 1 ? 1 : 0.9);
            });
    return job;
}

TEST(Bandit, does_by_the_best_from_the_first_call_and_tries_what_is_hopeless_only_after_very_many) {
    for (const double hopeless : {3.0, 10.0, 100.0}) {
        SCOPED_TRACE(hopeless);
        Job job = job_of(1, hopeless, 1, hopeless);
        EXPECT_DOUBLE_EQ(job.run(40), 40);
        EXPECT_EQ(job.calls[native], 0U);
        EXPECT_LE(job.run(100'000 - job.total()), 1.02 * 100'000);
        Job other = job_of(hopeless, 1, hopeless, 1);
        EXPECT_DOUBLE_EQ(other.run(40), 40);
        EXPECT_EQ(other.calls[0], 0U);
        EXPECT_LE(other.run(100'000 - other.total()), 1.02 * 100'000);
    }
}

TEST(Bandit, finds_out_in_the_end_that_what_was_hopeless_is_the_fastest) {
    Job job = job_of(1, 0.5, 1, 3);
    EXPECT_LE(job.run(100'000), 0.6 * 100'000);
}

TEST(Bandit, soon_finds_out_that_predictions_were_wrong) {
    // Over MPI's own, and over the plan.
    for (Job job : {job_of(1.5, 1, 1, 1.2), job_of(1, 1.5, 1.2, 1)}) {
        EXPECT_LE(job.run(10), 1.25 * 10);
        EXPECT_LE(job.run(20), 1.12 * 30);
        EXPECT_LE(job.run(70), 1.05 * 100);
    }
}

TEST(Bandit, tries_what_is_predicted_to_be_a_little_slower_once_that_pays) {
    Job job = job_of(1, 1.4, 1, 1.4);
    EXPECT_LE(job.run(10), 1.25 * 10);
    EXPECT_LE(job.run(20), 1.12 * 30);
    EXPECT_LE(job.run(70), 1.05 * 100);
}

TEST(Bandit, of_equal_ones_takes_mpis_own) {
    Job job = job_of(1, 1, 1, 1);
    job.call();
    EXPECT_EQ(job.calls[native], 1U);
}

TEST(Bandit, goes_by_the_slowest_rank) {
    Job job(2, {{within(1, 1.25)}, within(1.2, 1.25), Seconds(0)},
            [](Variant variant, std::size_t rank) {
                return variant == native ? 1.0 : rank == 0 ? 0.5 : 2.0;
            });
    job.run(60);
    EXPECT_EQ(job.ranks.front().next(), native);
}

TEST(Bandit, has_heard_what_all_told_before_it_has_to_wait_for_it) {
    const Bandit::Priors priors{{within(1, 1.25)}, within(1.2, 1.25), Seconds(3)};
    Job job(2, priors, [](Variant variant, std::size_t) { return variant == native ? 1.2 : 1.0; });
    job.run(100);
    EXPECT_LE(job.clock,
              static_cast<double>(job.calls[0]) + 1.2 * static_cast<double>(job.calls[native]) + 3);
    EXPECT_GE(job.ranks.front().agreements(), 3U);
}

TEST(Bandit, does_not_count_the_call_that_connects) {
    Job job = job_of(1, 0.5, 1, 1.2);
    job.connecting = 5;
    job.run(1000);
    EXPECT_EQ(job.ranks.front().next(), native);
}

TEST(Bandit, learns_nothing_from_calls_of_different_sizes) {
    Job job = job_of(2, 1, 1, 1.2);
    job.bytes = {1, 2};
    job.run(1000);
    EXPECT_EQ(job.calls[native], 0U) << "a try would bring nothing";
}

TEST(Bandit, changes_its_choice_when_the_network_has_changed) {
    bool changed = false;
    Job job(2, {{within(1, 1.25)}, within(1.2, 1.25), Seconds(0)},
            [&](Variant variant, std::size_t) {
                return variant == native ? (changed ? 0.5 : 1.2) : 1.0;
            });
    job.run(100);
    EXPECT_EQ(job.ranks.front().next(), 0U);
    changed = true;
    job.run(5000);
    EXPECT_EQ(job.ranks.front().next(), native);
}

TEST(Bandit, leaves_a_way_that_fails) {
    Job job(2, {{within(1, 1.25)}, within(1.2, 1.25), Seconds(0)},
            [](Variant variant, std::size_t) { return variant == native ? 1.2 : infinity; });
    job.run(100);
    EXPECT_EQ(job.ranks.front().next(), native);
    EXPECT_LE(job.calls[0], 4U);
}

TEST(Bandit, of_several_plans_finds_the_fastest) {
    Job job(2,
            {{within(1, 1.25), within(1.1, 1.25), within(1.2, 1.25)}, within(5, 1.25), Seconds(0)},
            [](Variant variant, std::size_t) {
                return variant == native ? 5 : variant == 2 ? 0.8 : 1.2;
            });
    job.run(100);
    EXPECT_EQ(job.ranks.front().next(), 2U);
    EXPECT_EQ(job.calls[native], 0U);
    EXPECT_THAT(job.ranks.front().finding(std::vector<std::string>{"a", "b", "c"}),
                HasSubstr("c measured 800 ms"));
}

TEST(Bandit, does_not_go_on_trying_plans_that_are_as_fast) {
    for (const double second : {1.0, 1.02, 0.98}) {
        SCOPED_TRACE(second);
        Job job(2, {{within(1, 1.25), within(1.01, 1.25), within(1.02, 1.25)}, within(3, 1.25), {}},
                [=](Variant variant, std::size_t) { return variant == 1 ? second : 1.0; });
        job.run(10'000);
        // A look tells no better than to 5%, so one at each of them is enough until there were four
        // times as many calls.
        for (const Variant variant : {0U, 1U, 2U})
            if (job.calls[variant] < 5000) {
                EXPECT_LE(job.calls[variant], 40U) << variant;
            }
    }
}

TEST(Bandit, looks_take_a_small_part_of_calls) {
    Job job(2, {{within(1, 1.25)}, within(20, 1.25), Seconds(0.01), Seconds(0.5)},
            [](Variant, std::size_t) { return 1.0; });
    job.run(6400);
    const double taken = 0.5 * static_cast<double>(job.ranks.front().agreements());
    EXPECT_GT(taken, 6400.0 / 80);
    EXPECT_LT(taken, 6400.0 / 60);
}

TEST(Bandit, begins_with_mpis_own_where_there_is_no_plan_yet_and_knows_it_later) {
    Job job(3, {{}, within(2, 1.25), Seconds(0)},
            [](Variant variant, std::size_t) { return variant == native ? 1.0 : 1.5; });
    job.run(20);
    EXPECT_EQ(job.calls[native], 20U);
    EXPECT_NEAR(job.ranks.front().spent().value, 20, 1e-9);
    while (!job.ranks.front().is_settled()) job.call();
    const std::vector<Bandit::Prior> plans{within(0.9, 1.25)};
    for (Bandit& rank : job.ranks) rank.replace_plans(plans);
    job.run(1);
    EXPECT_EQ(job.calls[0], 1U);
    job.run(20);
    EXPECT_EQ(job.ranks.front().next(), native);
    EXPECT_LE(job.calls[0], 8U) << "MPI's own was measured before";
}

TEST(Bandit, can_be_done_without) {
    for (const Variant only : {Variant{0}, native}) {
        Bandit bandit = Bandit::without(only);
        for (int k = 0; k < 10; ++k) {
            EXPECT_EQ(bandit.next(), only);
            bandit.add(Seconds(1), 1);
            EXPECT_FALSE(bandit.is_to_tell() || bandit.is_to_hear());
        }
        EXPECT_FALSE(bandit.chooses());
        EXPECT_EQ(bandit.finding({}), "");
    }
}

TEST(Bandit, tells_by_what_calls_were_done_so_that_they_can_be_done_again) {
    // A try of the plan turns out well, one of MPI's own does not; and none may have ended yet.
    for (const double own : {1.5, 1.2})
        for (std::size_t calls = 1; calls < 200; ++calls) {
            Job job(2, {{within(1.25, 1.25)}, within(1.2, 1.25), Seconds(2)},
                    [=](Variant variant, std::size_t) { return variant == native ? own : 1.3; });
            std::vector<Variant> done;
            for (std::size_t call = 0; call < calls; ++call) {
                done.push_back(job.ranks.front().next());
                job.call();
            }
            Bandit again = Bandit::following(job.ranks.front().turns());
            for (const Variant variant : done) {
                EXPECT_EQ(again.next(), variant);
                again.add(Seconds(1), 1);
            }
            EXPECT_FALSE(again.looks() || again.is_to_tell() || again.is_to_hear());
            // Those that the earlier run did not make.
            for (int more = 0; more < 10; ++more) again.add(Seconds(1), 1);
            EXPECT_TRUE(again.is_fixed());
            while (job.ranks.front().looks()) job.call();
            if (calls > 100) {
                EXPECT_EQ(again.next(), own < 1.3 ? native : 0U);
            }
        }
}

TEST(Bandit, does_calls_in_the_turns_that_it_is_told) {
    Bandit bandit = Bandit::following({{0, 1}, {2, native}, {3, 0}});
    std::vector<Variant> done;
    for (int call = 0; call < 6; ++call) {
        EXPECT_EQ(bandit.is_fixed(), call >= 3);
        done.push_back(bandit.next());
        bandit.add(Seconds(1), 1);
    }
    EXPECT_THAT(done, ElementsAre(1, 1, native, 0, 0, 0));
    EXPECT_FALSE(bandit.chooses());
}

/// What calls take, over the best plan's, where nothing changes: on average of jobs in which other
/// plans take `others` of its time, and calls differ by about `spread`, relatively.
double steady_cost(std::size_t calls, double others, double spread) {
    constexpr std::size_t jobs = 100;
    double cost = 0;
    for (std::size_t k = 0; k < jobs; ++k) {
        Random random(k + 1);
        const auto usual = [=](Variant variant) {
            return variant == 0 ? 1 : variant == native ? 1.3 : others;
        };
        double noise = 1;
        Job job(2,
                {{within(1, 1.25), within(1.02, 1.25), within(1.05, 1.25)},
                 within(1.3, 1.25),
                 Seconds(0.05)},
                [&](Variant variant, std::size_t rank) {
                    if (rank == 0)
                        noise = std::exp(
                            spread *
                            (2 * (random.uniform() + random.uniform() + random.uniform()) - 3));
                    return noise * usual(variant);
                });
        job.run(calls);
        for (const auto& [variant, count] : job.calls)
            cost += static_cast<double>(count) * usual(variant);
    }
    return cost / static_cast<double>(calls * jobs);
}

TEST(Bandit, costs_little_where_nothing_changes) {
    for (const double others : {1.0, 1.03, 1.1, 1.25})
        for (const double spread : {0.0, 0.05, 0.15}) {
            SCOPED_TRACE(testing::Message() << others << ", noise " << spread);
            EXPECT_LE(steady_cost(40, others, spread), 1.055);
            EXPECT_LE(steady_cost(100, others, spread), 1.045);
            EXPECT_LE(steady_cost(1000, others, spread), 1.025);
        }
}

/// Random predictions that are as far off as those of testbeds are, and a library that mostly does
/// not choose the best that it might: what the calls of a signature take in all, over what the best
/// takes.
TEST(Bandit, loses_little_where_predictions_are_as_far_off_as_they_are) {
    Random random(7);
    const auto off = [&](double factor) {
        return std::exp(std::log(factor) * (random.uniform() + random.uniform() - 1));
    };
    std::map<std::size_t, double> regret;
    constexpr int draws = 2000;
    for (int draw = 0; draw < draws; ++draw) {
        const std::vector<double> times{1, off(1.4), off(1.4)};
        const double own = 1.3 * std::exp(2 * random.uniform());
        Job job(
            3,
            {{within(off(1.4), 1.25), within(times[1] * off(1.4), 1.25),
              within(times[2] * off(1.4), 1.25)},
             within(own * off(2) / 1.3, 1.5625),
             Seconds(0)},
            [&](Variant variant, std::size_t) { return variant == native ? own : times[variant]; });
        job.connecting = 0.5;
        const double best = std::ranges::min(times);
        for (const std::size_t calls : {10U, 30U, 100U})
            regret[calls] += std::log((job.run(calls - job.total()) - job.connecting) /
                                      (best * static_cast<double>(calls))) /
                             draws;
    }
    EXPECT_LE(std::exp(regret[10]), 1.25);
    EXPECT_LE(std::exp(regret[30]), 1.12);
    EXPECT_LE(std::exp(regret[100]), 1.05);
}

}  // namespace
}  // namespace espalier::runtime
