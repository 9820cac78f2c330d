#include "core/infinity.hpp"
#include "core/random.hpp"
#include "runtime/bandit_job.hpp"
#include "runtime/logic/bandit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace espalier::runtime {
namespace {

using test::Job;
using test::within;
using Variant = Bandit::Variant;

constexpr Variant own = Bandit::native;

TEST(Bandit, tells_a_change_of_all_plans_although_mpis_own_is_the_fastest_then) {
    // Plans are about as fast, so that calls go from one to the other.
    const std::vector plans{within(1, 1.25), within(1.01, 1.25)};
    for (const bool is_replanned : {false, true})
        for (std::size_t at = 100; at < 900; ++at) {
            bool is_changed = false;
            Job job(
                2, {plans, within(1.3, 1.25), Seconds(0.01)}, [&](Variant variant, std::size_t) {
                    return is_changed ? (variant == own ? 2.9 : 3.0) : (variant == own ? 1.1 : 1.0);
                });
            job.run(at);
            if (is_replanned) {
                while (!job.ranks.front().is_settled()) job.call();
                // What the second one takes nobody knows; what the first one takes is known of one
                // like it.
                for (Bandit& rank : job.ranks) {
                    rank.replace_plans(plans);
                    rank.expect_as_usual(0, Seconds(1));
                }
            }
            is_changed = true;
            const std::size_t last = job.total() + 40;
            while (job.total() < last && !job.ranks.front().has_changed()) job.call();
            ASSERT_TRUE(job.ranks.front().has_changed()) << at << is_replanned;
            EXPECT_NE(job.ranks.front().changed(), own);
            EXPECT_NEAR(job.ranks.front().before().value, 1, 0.01);
            EXPECT_EQ(job.ranks.front().now().value, 3);
        }
}

/// What is lost, beside what another plan takes, while one from before a change takes 4 times that;
/// after `calls` it takes what it took before, 0.7 times that.
struct Returning {
    double lost = 0;
    std::size_t found_after = 0;
};
Returning returning(std::size_t calls) {
    bool is_back = false;
    const Bandit::Prior fresh{Seconds(1), 0.25, 1.0};
    const Bandit::Prior kept{Seconds(4), 0, 1.0, true, Seconds(0.7)};
    Job job(2, {{fresh, kept}, within(20, 1.25), Seconds(0.01)}, [&](Variant variant, std::size_t) {
        return variant == 0 ? 1.0 : variant == own ? 20.0 : is_back ? 0.7 : 4.0;
    });
    Returning found;
    found.lost = job.run(calls) - static_cast<double>(calls);
    is_back = true;
    const std::size_t before = job.total();
    while (job.ranks.front().next() != 1 && job.total() < 100 * calls) job.call();
    found.found_after = job.total() - before;
    return found;
}

TEST(Bandit, finds_out_that_the_network_is_as_it_was_before_a_change) {
    for (const std::size_t calls : {20U, 100U, 1000U, 10'000U}) {
        SCOPED_TRACE(calls);
        const Returning found = returning(calls);
        EXPECT_LE(found.lost, 3 * std::sqrt(calls));
        EXPECT_LE(found.found_after, 10 + 4 * std::sqrt(calls));
    }
}

TEST(Bandit, tries_a_plan_from_before_the_sooner_the_likelier_the_change_is_over) {
    const auto first_try = [](double over) {
        const Bandit::Prior old{Seconds(4), 0.25, 1.0, false, Seconds(0.4), over};
        Job job(2, {{within(1, 1.25), old}, within(20, 1.25), Seconds(0.01)},
                [=](Variant variant, std::size_t) { return variant == 0 ? 1.0 : 4.0; });
        while (job.calls[1] == 0 && job.total() < 100) job.call();
        return job.total();
    };
    EXPECT_LT(first_try(0.9), first_try(0));
    EXPECT_LE(first_try(0.9), 6U);
}

TEST(Bandit, soon_tries_what_was_foretold_to_be_slow_if_that_may_be_over) {
    constexpr std::size_t soon = 12;
    for (const bool is_over : {true, false}) {
        SCOPED_TRACE(is_over);
        // Four times as long as the new one if the network is as it was in the last run, else 0.4.
        const Bandit::Prior old{Seconds(4), 0.25, 1.0, false, Seconds(0.4), 0.4};
        Job job(2, {{within(1, 1.25), old}, within(20, 1.25), Seconds(0.01)},
                [=](Variant variant, std::size_t) {
                    return variant == 0 ? 0.8 : variant == own ? 20.0 : is_over ? 0.4 : 3.0;
                });
        const Bandit& bandit = job.ranks.front();
        while (job.calls[1] == 0 && job.total() < soon) {
            EXPECT_EQ(bandit.as_foretold(), std::nullopt)
                << "what the new plan takes was not known";
            job.call();
        }
        EXPECT_GT(job.calls[1], 0U);
        while (!bandit.has_changed() && !bandit.as_foretold() && job.total() < 2 * soon) job.call();
        EXPECT_EQ(bandit.has_changed(), is_over);
        if (is_over) {
            EXPECT_NEAR(bandit.before().value, 3.2, 1e-9) << "predictions are off by as much";
        }
        EXPECT_EQ(bandit.as_foretold(), is_over ? std::nullopt : std::optional<Variant>(1));
        if (is_over) continue;
        // Then it is not likely to be over so soon again.
        const std::size_t tried = job.calls[1];
        job.run(soon / 2);
        EXPECT_EQ(job.calls[1], tried);
    }
}

/// A job of one plan whose calls take `seconds(calls so far)`, among ranks that take 10 ms to
/// agree.
Job watched_job(const std::function<double(std::size_t)>& seconds, double native_seconds = 10) {
    const auto calls = std::make_shared<std::size_t>(0);
    return Job(2, {{within(1, 1.25)}, within(native_seconds, 1.25), Seconds(0.01)},
               [=](Variant variant, std::size_t rank) {
                   const double took = variant == own ? native_seconds : seconds(*calls);
                   if (rank == 1) ++*calls;
                   return took;
               });
}

TEST(Bandit, waits_until_what_a_change_costs_pays_for_finding_out) {
    for (const bool lasts : {true, false}) {
        SCOPED_TRACE(lasts);
        constexpr std::size_t at = 200;
        constexpr double more = 0.5;
        Job job = watched_job([=](std::size_t call) {
            return call >= at && (lasts || call < at + 30) ? 1 + more : 1.0;
        });
        const Bandit& bandit = job.ranks.front();
        while (!bandit.has_changed() && job.total() < 2 * at) job.call();
        ASSERT_TRUE(bandit.has_changed());
        EXPECT_TRUE(bandit.pays_for(Seconds(2 * more)));
        EXPECT_FALSE(bandit.pays_for(Seconds(40 * more)));
        while (bandit.has_changed() && !bandit.pays_for(Seconds(40 * more)) && job.total() < 3 * at)
            job.call();
        EXPECT_EQ(bandit.has_changed(), lasts);
        if (lasts) {
            EXPECT_LE(job.total(), at + 60);
        }
    }
}

TEST(Bandit, learns_nothing_of_what_calls_differ_by_from_one_that_took_for_ever) {
    bool fails = false;
    bool is_over = false;
    Job job(2, {{within(1, 1.25)}, within(1.05, 1.25), Seconds(0.01)},
            [&](Variant variant, std::size_t) {
                return !is_over && (fails || variant == own) ? infinity : 1.0;
            });
    const Bandit& bandit = job.ranks.front();
    job.run(200);
    ASSERT_EQ(bandit.time_of(own).value, infinity);
    fails = true;
    while (!bandit.has_changed() && job.total() < 400) job.call();
    ASSERT_TRUE(bandit.has_changed());
    Bandit::Prior anew{Seconds(1), 0.25, infinity};
    anew.unexplained = true;
    for (Bandit& rank : job.ranks) {
        const Bandit before = rank;
        rank.replace_plans(std::vector{anew});
        rank.deviate_as(before, true);
    }
    is_over = true;
    job.run(50);
    EXPECT_EQ(bandit.time_of(own).value, 1);
}

TEST(Bandit, takes_what_nothing_explains_for_what_calls_differ_by) {
    for (const bool unexplained : {true, false}) {
        SCOPED_TRACE(unexplained);
        Job job = watched_job([](std::size_t call) { return call < 200 ? 1.0 : 1.5; });
        while (!job.ranks.front().has_changed() && job.total() < 400) job.call();
        ASSERT_TRUE(job.ranks.front().has_changed());
        Bandit::Prior anew{Seconds(1), 0.25, 1.5};
        anew.unexplained = unexplained;
        for (Bandit& rank : job.ranks) {
            const Bandit before = rank;
            rank.replace_plans(std::vector{anew});
            rank.deviate_as(before, unexplained);
        }
        job.time = [](Variant variant, std::size_t) { return variant == own ? 10 : 1.0; };
        job.run(100);
        EXPECT_EQ(job.ranks.front().has_changed(), !unexplained);
    }
}

/// The calls after the change of call 1000 until it is told; 0: it is not.
std::size_t told_after(Job job) {
    job.run(1000);
    EXPECT_FALSE(job.ranks.front().has_changed());
    for (std::size_t k = 1; k <= 100; ++k) {
        job.call();
        if (job.ranks.front().has_changed()) return k;
    }
    return 0;
}

TEST(Bandit, tells_soon_that_calls_take_another_time) {
    for (const double times : {0.25, 0.5, 0.7, 1.5, 2.0, 4.0})
        for (std::size_t later = 0; later < 10; ++later) {
            SCOPED_TRACE(times);
            const std::size_t calls = told_after(
                watched_job([=](std::size_t call) { return call < 1000 + later ? 1.0 : times; }));
            EXPECT_GT(calls, later);
            EXPECT_LE(calls, later + 8);
        }
}

/// A job whose calls are done by MPI's own, which take 1 s, and 5 s from call 1000 on; those by its
/// plan, 1.2 s, or `changed` then.
Job job_by_mpis_own(double changed) {
    const auto calls = std::make_shared<std::size_t>(0);
    return Job(2, {{within(1.2, 1.25)}, within(1, 1.25), Seconds(0.01)},
               [=](Variant variant, std::size_t rank) {
                   const bool is_changed = *calls >= 1000;
                   if (rank == 1) ++*calls;
                   return variant == own ? (is_changed ? 5.0 : 1.0) : is_changed ? changed : 1.2;
               });
}

TEST(Bandit, soon_takes_a_plan_when_mpis_own_get_slower) {
    Job job = job_by_mpis_own(1.2);
    job.run(1000);
    ASSERT_EQ(job.ranks.front().next(), own);
    job.run(20);
    EXPECT_EQ(job.ranks.front().next(), 0U);
    EXPECT_FALSE(job.ranks.front().has_changed()) << "the plan takes what it did";
}

TEST(Bandit, soon_tells_a_change_while_calls_are_done_by_mpis_own) {
    Job job = job_by_mpis_own(4);
    job.run(1000);
    ASSERT_EQ(job.ranks.front().next(), own);
    while (job.total() < 1020 && !job.ranks.front().has_changed()) job.call();
    ASSERT_TRUE(job.ranks.front().has_changed());
    EXPECT_EQ(job.ranks.front().changed(), 0U);
    EXPECT_NEAR(job.ranks.front().before().value, 1.2, 1e-9);
}

TEST(Bandit, takes_noise_and_single_slow_calls_for_what_they_are) {
    Random random(3);
    EXPECT_EQ(told_after(watched_job([&](std::size_t call) {
                  if (call % 50 == 7) return 5.0;
                  return random.uniform(0.9, 1.15);
              })),
              0U);
}

TEST(Bandit, believes_no_lesson_that_calls_contradict) {
    // What was learned predicts 1 s; the plan from before is known to take 2.
    const Bandit::Prior fresh{Seconds(1), 0.25, 1.0};
    const Bandit::Prior kept{Seconds(2), 0, 1.0, true};
    for (const double took : {1.0, 3.0}) {
        SCOPED_TRACE(took);
        Job job(2, {{fresh, kept}, within(10, 1.25), Seconds(0.01)},
                [=](Variant variant, std::size_t) {
                    return variant == 0 ? took : variant == 1 ? 2.0 : 10.0;
                });
        job.run(8);
        const Bandit& bandit = job.ranks.front();
        EXPECT_EQ(bandit.has_changed(), took > 2);
        EXPECT_EQ(bandit.was_as_before(), took < 2);
        EXPECT_DOUBLE_EQ(bandit.time_of(0).value, took);
        EXPECT_DOUBLE_EQ(bandit.time_of(1).value, 2);
    }
}

TEST(Bandit, takes_a_plan_that_is_slower_than_thought_for_a_sign_of_a_change) {
    // Another plan is first tried when the network has become slower already, or just is slow.
    for (const bool changes : {true, false}) {
        SCOPED_TRACE(changes);
        bool is_slower = false;
        Job job(2, {{within(1, 1.1), within(1.02, 1.1)}, within(20, 1.25), Seconds(0.01)},
                [&](Variant variant, std::size_t) {
                    if (variant == own) return 20.0;
                    if (variant == 1) return 4.0;
                    return is_slower ? 4.0 : 1.0;
                });
        const Bandit& bandit = job.ranks.front();
        while (job.calls[1] == 0 && job.total() < 100) {
            if (bandit.next() == 1) is_slower = changes;
            job.call();
        }
        ASSERT_EQ(job.calls[1], 1U);
        const std::size_t before = job.total();
        while (!bandit.has_changed() && job.total() < before + 100) job.call();
        EXPECT_EQ(bandit.has_changed(), changes);
        if (changes) {
            EXPECT_EQ(bandit.changed(), 0U);
            EXPECT_LE(job.total() - before, 6U);
        }
    }
}

TEST(Bandit, tells_by_the_first_calls_that_a_change_is_over) {
    // 4 s are predicted on the network as it is believed to be, and 1 s on what it was.
    Bandit::Prior plan = within(4, 1.3);
    plan.again = Seconds(1);
    for (const double took : {4.0, 2.0, 1.2, 1.0, 0.5}) {
        SCOPED_TRACE(took);
        Job job(2, {{plan}, within(20, 1.25), Seconds(0.01)},
                [=](Variant variant, std::size_t) { return variant == own ? 20.0 : took; });
        job.run(8);
        const Bandit& bandit = job.ranks.front();
        const bool is_over = took >= 1 && took <= 1.2;
        EXPECT_EQ(bandit.has_changed(), is_over);
        if (!is_over) continue;
        EXPECT_TRUE(bandit.has_returned());
        EXPECT_FALSE(bandit.may_follow());
        // Such calls take that many times as long as predicted, it seems.
        EXPECT_DOUBLE_EQ(bandit.before().value, 4 * took);
        EXPECT_DOUBLE_EQ(bandit.now().value, took);
    }
}

TEST(Bandit, takes_no_later_change_for_the_end_of_one_that_calls_hardly_tell_of) {
    // What is predicted of the network as it is believed to be, and as it was, differs by no more
    // than calls do anyway.
    Bandit::Prior plan = within(1, 1.1);
    plan.again = Seconds(1.2);
    double took = 1.2;
    Job job(2, {{plan}, within(20, 1.25), Seconds(0.01)},
            [&](Variant variant, std::size_t) { return variant == own ? 20.0 : took; });
    const Bandit& bandit = job.ranks.front();
    job.run(20);
    ASSERT_FALSE(bandit.has_changed());
    took = 4;
    while (!bandit.has_changed() && job.total() < 100) job.call();
    ASSERT_TRUE(bandit.has_changed());
    EXPECT_FALSE(bandit.has_returned());
}

TEST(Bandit, knows_a_change_from_what_was_only_foretold) {
    // Both plans are foretold to take 1 s. Calls by the first one do, those by the second a
    // quarter.
    const Bandit::Prior first{Seconds(1), 0.25, 1.0};
    const Bandit::Prior second{Seconds(1.1), 0.25, 1.0};
    bool is_slower = false;
    Job job(2, {{first, second}, within(10, 1.25), Seconds(0.01)},
            [&](Variant variant, std::size_t) {
                return variant == own ? 10.0 : variant == 1 ? 0.25 : is_slower ? 3.0 : 1.0;
            });
    const Bandit& bandit = job.ranks.front();
    while (!bandit.has_changed() && job.total() < 100) job.call();
    ASSERT_TRUE(bandit.has_changed());
    EXPECT_EQ(bandit.changed(), 1U);
    EXPECT_TRUE(bandit.was_as_before()) << "by the first plan";
    EXPECT_TRUE(bandit.may_follow());
    for (Bandit& rank : job.ranks) {
        rank.accept_change();
        rank.replace_plans(std::vector{first});
    }
    job.run(100);
    ASSERT_FALSE(bandit.has_changed());
    for (Bandit& rank : job.ranks) rank.expect_as_usual(0, Seconds(1));
    is_slower = true;
    while (!bandit.has_changed() && job.total() < 300) job.call();
    ASSERT_TRUE(bandit.has_changed());
    EXPECT_FALSE(bandit.may_follow());
}

}  // namespace
}  // namespace espalier::runtime
