#include "runtime/logic/trial.hpp"
#include "core/infinity.hpp"

#include "core/random.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Variant = Trial::Variant;

constexpr Variant planned = 0;

/// What a call takes on a rank; `call` counts from 0.
using Times = std::function<double(std::size_t call, Variant variant, std::size_t rank)>;

/// Ranks that do the same calls, each in its own time, and agree when their trials ask for it.
class Ranks {
public:
    explicit Ranks(std::size_t count, std::size_t plans = 1, double predicted = 0)
        : trials_(count, Trial(plans, Seconds(predicted))), names_{"first", "second", "third"} {
        names_.resize(plans);
    }

    void do_calls(std::size_t calls, const Times& times, double bytes = 100) {
        for (std::size_t i = 0; i < calls; ++i) do_call(times, bytes);
    }

    void do_call(const Times& times, double bytes) {
        const Variant variant = trials_.front().next();
        variants_.push_back(variant);
        std::size_t asking = 0;
        for (std::size_t rank = 0; rank < trials_.size(); ++rank) {
            ASSERT_EQ(trials_[rank].next(), variant) << "call " << calls_ << ", rank " << rank;
            if (trials_[rank].add(Seconds(times(calls_, variant, rank)), bytes)) ++asking;
        }
        ++calls_;
        ASSERT_TRUE(asking == 0 || asking == trials_.size());
        if (asking == 0) return;
        agreed_after_.push_back(calls_);
        std::vector<double> greatest(trials_.front().samples().size(), 0);
        for (const Trial& trial : trials_) {
            const auto samples = trial.samples();
            ASSERT_EQ(samples.size(), greatest.size());
            for (std::size_t s = 0; s < samples.size(); ++s)
                greatest[s] = std::max(greatest[s], samples[s]);
        }
        for (Trial& trial : trials_) trial.agree(greatest);
    }

    [[nodiscard]] const Trial& trial() const { return trials_.front(); }
    [[nodiscard]] std::string finding() const { return trial().finding(names_); }
    [[nodiscard]] const std::vector<Variant>& variants() const { return variants_; }
    [[nodiscard]] const std::vector<std::size_t>& agreed_after() const { return agreed_after_; }

private:
    std::vector<Trial> trials_;
    std::vector<std::string> names_;
    std::vector<Variant> variants_;
    std::vector<std::size_t> agreed_after_;
    std::size_t calls_ = 0;
};

/// Of MPI's own, and of each plan.
Times steady(const std::vector<double>& plans, double native) {
    return [plans, native](std::size_t, Variant variant, std::size_t) {
        return variant == Trial::native ? native : plans.at(variant);
    };
}
Times steady(double plan, double native) { return steady(std::vector{plan}, native); }

TEST(Trial, takes_turns_and_keeps_the_faster_one) {
    Ranks ranks(1);
    EXPECT_EQ(ranks.finding(), "on trial");
    ranks.do_calls(8, steady(1, 1.5));
    constexpr Variant p = planned;
    constexpr Variant n = Trial::native;
    EXPECT_THAT(ranks.variants(), ElementsAre(p, n, n, p, p, n, n, p));
    EXPECT_EQ(ranks.trial().next(), planned);
    EXPECT_EQ(ranks.trial().agreements(), 1u);
    EXPECT_THAT(ranks.finding(), HasSubstr("MPI's own 1.5"));
}

TEST(Trial, agrees_after_calls_that_all_know_and_after_no_other) {
    Ranks ranks(3);
    ranks.do_calls(5000, steady(1, 2));
    EXPECT_THAT(ranks.agreed_after(), ElementsAre(8, 64, 512, 4096));
    EXPECT_FALSE(ranks.trial().is_over());
}

TEST(Trial, tries_the_other_way_again_in_the_last_calls_before_it_agrees) {
    Ranks ranks(2);
    ranks.do_calls(600, steady(1, 2));
    std::set<std::size_t> native;
    for (std::size_t call = 8; call < ranks.variants().size(); ++call)
        if (ranks.variants()[call] == Trial::native) native.insert(call + 1);
    EXPECT_THAT(native, ElementsAre(62, 63, 510, 511));
}

TEST(Trial, compares_only_what_it_says) {
    Ranks ranks(1);
    for (std::size_t call = 0; call < 520; ++call) {
        EXPECT_EQ(ranks.trial().compares(),
                  call < 8 || (call >= 60 && call < 64) || (call >= 508 && call < 512))
            << call;
        ranks.do_call(steady(1, 2), 100);
    }
}

TEST(Trial, goes_by_the_slowest_rank) {
    // On rank 1 the plan takes long; all others are done with it at once.
    Ranks ranks(4);
    ranks.do_calls(8, [](std::size_t, Variant variant, std::size_t rank) {
        return variant == Trial::native ? 1.0 : rank == 1 ? 3.0 : 0.1;
    });
    EXPECT_EQ(ranks.trial().next(), Trial::native);
}

TEST(Trial, does_not_count_the_pair_that_makes_connections_and_goes_by_the_middle_one) {
    for (const double slow : {0.5, 1.5}) {
        // Pairs of ratios 20, 0.9, 1.5 or 0.5, and 7.
        const std::vector<double> times{20, 0, 0, 0.9, slow, 0, 0, 7};
        Ranks ranks(1);
        ranks.do_calls(8, [&](std::size_t call, Variant variant, std::size_t) {
            return variant == planned ? times[call] : 1;
        });
        EXPECT_EQ(ranks.trial().next(), slow < 1 ? planned : Trial::native);
    }
}

TEST(Trial, leaves_to_mpi_what_is_as_fast) {
    Ranks ranks(1);
    ranks.do_calls(8, steady(0.99, 1));
    EXPECT_EQ(ranks.trial().next(), Trial::native);
}

TEST(Trial, changes_its_choice_when_the_network_has_changed) {
    Ranks ranks(5);
    Random random(3);
    const auto drifting = [&](double plan, double native) {
        return [&random, plan, native](std::size_t, Variant variant, std::size_t) {
            const double noise = 1 + 0.1 * random.uniform();
            return (variant == planned ? plan : native) * noise;
        };
    };
    ranks.do_calls(20, drifting(1, 2));
    EXPECT_EQ(ranks.trial().next(), planned);
    ranks.do_calls(44, drifting(3, 2));
    EXPECT_EQ(ranks.trial().next(), Trial::native);
    EXPECT_THAT(ranks.finding(), HasSubstr("call 64"));
    ranks.do_calls(512 - 64, drifting(1, 2));
    EXPECT_EQ(ranks.trial().next(), planned);
    ranks.do_calls(4096 - 512, drifting(1, 2));
    EXPECT_EQ(ranks.trial().next(), planned);
    EXPECT_EQ(ranks.trial().agreements(), 4u);
}

TEST(Trial, is_not_misled_by_a_network_that_gets_slower_all_the_time) {
    // Equally good ways: whichever is tried later is slower.
    for (const double slope : {0.05, -0.02}) {
        const auto drifts = [slope](std::size_t call, Variant, std::size_t) {
            return 10 * (1 + slope * static_cast<double>(call % 16));
        };
        Ranks ranks(1);
        ranks.do_calls(8, steady(1, 2));
        ranks.do_calls(56, drifts);
        EXPECT_EQ(ranks.trial().next(), planned) << "one pair speaks for each variant";
    }
}

TEST(Trial, keeps_its_choice_where_only_one_pair_speaks_against_it) {
    Ranks ranks(1);
    ranks.do_calls(62, steady(1, 2));
    ranks.do_calls(2, steady(3, 2));
    EXPECT_EQ(ranks.trial().next(), planned);
}

TEST(Trial, does_not_compare_calls_of_different_sizes) {
    Ranks ranks(1);
    // Planned is faster only where it had less to do.
    const std::vector<double> bytes{100, 100, 100, 50, 100, 100, 100, 50};
    const std::vector<double> seconds{1, 1, 1, 0.5, 1.2, 1, 1, 0.5};
    for (std::size_t call = 0; call < 8; ++call)
        ranks.do_call([&](std::size_t, Variant, std::size_t) { return seconds[call]; },
                      bytes[call]);
    EXPECT_EQ(ranks.trial().next(), Trial::native);
}

TEST(Trial, leaves_to_mpi_what_can_not_be_compared_and_changes_nothing_for_it_later) {
    const auto do_odd = [](Ranks& ranks, std::size_t calls, double plan, double native) {
        for (std::size_t i = 0; i < calls; ++i) {
            const bool is_planned = ranks.trial().next() == planned;
            ranks.do_call(steady(plan, native), is_planned ? 100 : 200);
        }
    };
    Ranks never(1);
    do_odd(never, 8, 1, 9);
    EXPECT_EQ(never.trial().next(), Trial::native);
    EXPECT_THAT(never.finding(), HasSubstr("differ"));
    Ranks later(1);
    later.do_calls(8, steady(1, 9));
    do_odd(later, 56, 9, 1);
    EXPECT_EQ(later.trial().next(), planned);
}

TEST(Trial, gives_up_a_way_that_fails) {
    constexpr double failed = infinity;
    Ranks ranks(2);
    ranks.do_calls(8, steady(failed, 1));
    EXPECT_EQ(ranks.trial().next(), Trial::native);
    Ranks both(1);
    both.do_calls(8, steady(failed, failed));
    EXPECT_EQ(both.trial().next(), Trial::native);
}

TEST(Trial, of_several_plans_takes_them_in_turn_and_keeps_the_fastest) {
    Ranks ranks(2, 3);
    ranks.do_calls(16, steady({1.2, 0.7, 1.4}, 1));
    constexpr Variant n = Trial::native;
    EXPECT_THAT(ranks.variants(), ElementsAre(0, 1, 2, n, n, 2, 1, 0, 0, 1, 2, n, n, 2, 1, 0));
    EXPECT_EQ(ranks.trial().next(), 1U);
    EXPECT_THAT(ranks.agreed_after(), ElementsAre(16));
    EXPECT_THAT(ranks.finding(), HasSubstr("second 700 ms"));
    Ranks slow(1, 2);
    slow.do_calls(12, steady({1.2, 1.1}, 1));
    EXPECT_EQ(slow.trial().next(), Trial::native);
}

TEST(Trial, of_long_calls_is_short_and_believes_the_round_that_says_less_for_a_plan) {
    constexpr Variant n = Trial::native;
    Ranks ranks(2, 2, 0.5);
    ranks.do_calls(6, steady({0.5, 0.4}, 1));
    EXPECT_THAT(ranks.variants(), ElementsAre(0, 1, n, n, 1, 0));
    EXPECT_THAT(ranks.agreed_after(), ElementsAre(3, 6));
    EXPECT_EQ(ranks.trial().next(), 1U);
    ranks.do_calls(42, steady({0.5, 0.4}, 1));
    EXPECT_THAT(ranks.agreed_after(), ElementsAre(3, 6, 48));

    Ranks once(1, 1, 0.5);
    once.do_calls(4, [](std::size_t call, Variant variant, std::size_t) {
        return variant == planned && call == 0 ? 0.5 : 1;
    });
    EXPECT_EQ(once.trial().next(), n);
}

TEST(Trial, leaves_out_early_who_takes_hopelessly_long) {
    constexpr Variant n = Trial::native;
    Ranks one_left(2, 2, 0.1);
    one_left.do_calls(8, steady({0.1, 0.3}, 1));
    EXPECT_THAT(one_left.variants(), ElementsAre(0, 1, n, n, 1, 0, 0, 0));
    EXPECT_THAT(one_left.finding(), HasSubstr("call 6: first 100 ms, MPI's own 1 s"));
    one_left.do_calls(12 * 64 - 8, steady({0.1, 0.3}, 1));
    EXPECT_THAT(one_left.agreed_after(), ElementsAre(6, 12 * 64));
    EXPECT_EQ(one_left.variants()[12 * 64 - 2], n) << "it is compared again, but later";

    Ranks two_left(2, 3, 0.1);
    two_left.do_calls(12, steady({0.13, 0.1, 0.5}, 1));
    EXPECT_THAT(two_left.variants(), ElementsAre(0, 1, 2, n, n, 2, 1, 0, 0, 1, 1, 0));
    EXPECT_EQ(two_left.trial().next(), 1U);
    EXPECT_THAT(two_left.finding(), HasSubstr("second 100 ms, MPI's own 1 s"));
    two_left.do_calls(16 * 8 - 12, steady({0.13, 0.1, 0.5}, 1));
    EXPECT_THAT(two_left.agreed_after(), ElementsAre(8, 12, 16 * 8));
    EXPECT_EQ(two_left.variants()[16 * 8 - 2], 0U);

    Ranks native_left(1, 1, 0.1);
    native_left.do_calls(5, steady(1, 0.1));
    EXPECT_EQ(native_left.trial().next(), n);
    EXPECT_THAT(native_left.finding(), HasSubstr("call 4: first 1 s, MPI's own 100 ms"));
}

TEST(Trial, leaves_out_nobody_for_a_little_or_for_what_only_connections_may_have_taken) {
    for (const auto& [predicted, native] : {std::pair(0.1, 0.19), std::pair(0.01, 0.055),
                                            std::pair(0.3, 1.7), std::pair(0.001, 1.0)}) {
        Ranks ranks(1, 1, predicted);
        ranks.do_calls(predicted < 0.2 ? 8 : 4, steady(predicted, native));
        EXPECT_EQ(std::ranges::count(ranks.variants(), Trial::native), predicted < 0.2 ? 4 : 2)
            << predicted;
    }
    Ranks long_ago(1, 1, 0.3);
    long_ago.do_calls(4, steady(0.3, 2));
    EXPECT_THAT(long_ago.variants(), ElementsAre(0, Trial::native, 0, 0));
}

TEST(Trial, compares_anew_with_who_was_left_out_once_the_network_has_changed) {
    Ranks ranks(3, 1, 0.1);
    ranks.do_calls(500, steady(0.1, 1));
    EXPECT_EQ(ranks.trial().next(), planned);
    ranks.do_calls(12, steady(3, 1));
    EXPECT_EQ(ranks.trial().next(), Trial::native);
}

TEST(Trial, of_several_plans_compares_one_of_the_others_with_its_choice_at_a_time) {
    Ranks ranks(1, 3);
    ranks.do_calls(8192, steady({1, 2, 3}, 4));
    std::vector<Variant> others;
    for (std::size_t call = 16; call < ranks.variants().size(); ++call)
        if (ranks.variants()[call] != 0) others.push_back(ranks.variants()[call]);
    EXPECT_THAT(others, ElementsAre(Trial::native, Trial::native, 1, 1, 2, 2));
    EXPECT_THAT(ranks.agreed_after(), ElementsAre(16, 128, 1024, 8192));
}

TEST(Trial, changes_to_another_plan_that_has_become_faster) {
    Ranks ranks(1, 2);
    ranks.do_calls(12, steady({1, 2}, 4));
    ranks.do_calls(96 - 12, steady({1, 0.5}, 0.999));
    EXPECT_EQ(ranks.trial().next(), Trial::native) << "it comes first, and needs no margin";
    ranks.do_calls(768 - 96, steady({1, 0.99}, 1));
    EXPECT_EQ(ranks.trial().next(), Trial::native) << "no better by the margin";
    ranks.do_calls(6144 - 768, steady({0.9, 0.5}, 1));
    EXPECT_EQ(ranks.trial().next(), 0U) << "it was the one that was compared";
    ranks.do_calls(8 * 6144 - 6144, steady({0.9, 0.5}, 1));
    EXPECT_EQ(ranks.trial().next(), 1U);
}

TEST(Trial, can_be_done_without) {
    Trial trial = Trial::without(planned);
    EXPECT_TRUE(trial.is_over());
    EXPECT_FALSE(trial.compares());
    for (int call = 0; call < 100; ++call) {
        EXPECT_EQ(trial.next(), planned);
        EXPECT_FALSE(trial.add(Seconds(1), 1));
    }
    EXPECT_EQ(trial.finding({}), "");
    EXPECT_EQ(Trial::without(Trial::native).next(), Trial::native);
}

}  // namespace
}  // namespace espalier::runtime
