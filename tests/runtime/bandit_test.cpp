#include "runtime/logic/bandit.hpp"

#include "core/infinity.hpp"
#include "core/random.hpp"

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

Bandit::Prior within(double seconds, double factor) { return {Seconds(seconds), factor - 1}; }

/// Some ranks that call again and again.
struct Job {
    std::vector<Bandit> ranks;
    std::function<double(Variant, std::size_t)> time;  ///< of a call by a variant on a rank
    double agreement = 0;                              ///< until all know what all told
    double connecting = 0;                             ///< beside the first call of a variant
    std::vector<double> bytes{};                       ///< of each call, in turn; the same if empty
    double clock = 0;
    double told_at = 0;
    std::vector<double> greatest{};
    std::map<Variant, std::size_t> calls{};

    Job(std::size_t size, const Bandit::Priors& priors,
        std::function<double(Variant, std::size_t)> seconds)
        : ranks(size, Bandit(priors)),
          time(std::move(seconds)),
          agreement(priors.agreement.value) {}

    void call() {
        const Variant variant = ranks.front().next();
        const double extra = calls[variant] == 0 ? connecting : 0;
        const std::size_t number = total();
        ++calls[variant];
        double slowest = 0;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            ASSERT_EQ(ranks[rank].next(), variant);
            const double took = time(variant, rank) + extra;
            slowest = std::max(slowest, took);
            ranks[rank].add(Seconds(took), bytes.empty() ? 1 : bytes[number % bytes.size()]);
        }
        clock += slowest;
        agree();
    }
    /// The seconds that so many calls take, with what agreeing takes.
    double run(std::size_t count) {
        for (std::size_t k = 0; k < count; ++k) call();
        return clock;
    }
    [[nodiscard]] std::size_t total() const {
        std::size_t all = 0;
        for (const auto& [variant, count] : calls) all += count;
        return all;
    }

private:
    void agree() {
        if (ranks.front().is_to_tell()) {
            greatest.assign(ranks.front().samples().size(), 0);
            for (Bandit& rank : ranks) {
                ASSERT_TRUE(rank.is_to_tell());
                for (std::size_t k = 0; k < greatest.size(); ++k)
                    greatest[k] = std::max(greatest[k], rank.samples()[k]);
                rank.told();
            }
            told_at = clock;
        }
        if (!ranks.front().is_to_hear()) return;
        clock = std::max(clock, told_at + agreement);
        for (Bandit& rank : ranks) {
            ASSERT_TRUE(rank.is_to_hear());
            rank.hear(greatest);
        }
    }
};

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
        return variant == 0 ? 1.0 : variant == native ? 20.0 : is_back ? 0.7 : 4.0;
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

/// A job of one plan whose calls take `seconds(calls so far)`, among ranks that take 10 ms to
/// agree.
Job watched_job(const std::function<double(std::size_t)>& seconds, double native_seconds = 10) {
    const auto calls = std::make_shared<std::size_t>(0);
    return Job(2, {{within(1, 1.25)}, within(native_seconds, 1.25), Seconds(0.01)},
               [=](Variant variant, std::size_t rank) {
                   const double took = variant == native ? native_seconds : seconds(*calls);
                   if (rank == 1) ++*calls;
                   return took;
               });
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
    for (const double times : {0.25, 0.5, 0.7, 1.5, 2.0, 4.0}) {
        SCOPED_TRACE(times);
        const std::size_t calls =
            told_after(watched_job([=](std::size_t call) { return call < 1000 ? 1.0 : times; }));
        EXPECT_GT(calls, 0U);
        EXPECT_LE(calls, 12U);
    }
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

}  // namespace
}  // namespace espalier::runtime
