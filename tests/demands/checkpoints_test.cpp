#include "core/error.hpp"
#include "demands/algorithms.hpp"
#include "demands/objective.hpp"
#include "demands/open_shop.hpp"
#include "demands/rehearsal.hpp"
#include "plan/exchange/bound.hpp"
#include "simulate/simulate.hpp"
#include "support/exchange_problems.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace espalier::demands {
namespace {

using espalier::test::random_times;
using espalier::test::StatedExchange;
using espalier::test::Times;

/// What was thought, and what is: the second a matrix of times up to 1 + noise times as long or as
/// short. Latencies are zero, or the same in both.
struct Both {
    StatedExchange estimate;
    StatedExchange truth;
};
Both draw(std::uint64_t seed, std::size_t nodes, double noise, std::size_t ports = 1,
          bool with_latencies = false) {
    Random random(seed);
    const auto times = random_times(random, nodes, Times::even);
    auto truth = times;
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            truth(i, j) *= std::pow(1 + noise, random.uniform(-1, 1));
    const auto latencies =
        with_latencies ? random_times(random, nodes, Times::even) : Matrix<double>();
    return {StatedExchange(times, latencies, ports), StatedExchange(truth, latencies, ports)};
}

constexpr Policy never{Checkpoints::never};

TEST(Checkpoints, come_after_every_end_or_after_half_of_what_is_left) {
    const std::vector<double> ends{5, 1, 3, 3, 2, 8};
    EXPECT_EQ(next_checkpoint(Checkpoints::never, 0, ends), std::nullopt);
    EXPECT_EQ(next_checkpoint(Checkpoints::every, 0, ends), 1);
    EXPECT_EQ(next_checkpoint(Checkpoints::every, 2, ends), 3);
    EXPECT_EQ(next_checkpoint(Checkpoints::every, 3, ends), 5);
    EXPECT_EQ(next_checkpoint(Checkpoints::half, 0, ends), 3);
    EXPECT_EQ(next_checkpoint(Checkpoints::half, 3, ends), 5);
    EXPECT_EQ(next_checkpoint(Checkpoints::every, 8, ends), std::nullopt);
}

TEST(Rehearsal, without_checkpoints_is_the_plan_on_the_true_network) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto [estimate, truth] = draw(seed, 6, 1, 1 + seed % 2);
        const auto done = rehearse(estimate.problem(), truth.problem(), open_shop, never);
        const Found plan = open_shop(estimate.problem(), {});
        EXPECT_NEAR(done.makespan, truth.makespan(plan), 1e-9);
        EXPECT_EQ(done.reschedulings, 0);
        EXPECT_EQ(done.checkpoints, 0);
    }
}

TEST(Rehearsal, changes_nothing_where_the_estimates_are_true) {
    const auto [estimate, truth] = draw(3, 8, 0, 1, true);
    for (const auto checkpoints : {Checkpoints::half, Checkpoints::every})
        for (const auto knowledge : {Knowledge::progress, Knowledge::directory}) {
            const auto done =
                rehearse(estimate.problem(), truth.problem(), open_shop, {checkpoints, knowledge});
            EXPECT_NEAR(done.makespan, truth.makespan(open_shop(truth.problem(), {})), 1e-9);
            EXPECT_EQ(done.reschedulings, 0);
            EXPECT_GT(done.checkpoints, 0);
        }
}

TEST(Rehearsal, performs_every_message_once_and_breaks_none_off) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const std::size_t ports = 1 + seed % 3;
        const auto [estimate, truth] = draw(seed, 7, 2, ports, seed % 2 == 0);
        for (const auto checkpoints : {Checkpoints::half, Checkpoints::every})
            for (const auto knowledge : {Knowledge::progress, Knowledge::directory}) {
                const auto done = rehearse(estimate.problem(), truth.problem(), open_shop,
                                           {checkpoints, knowledge});
                const auto& messages = truth.problem().messages;
                for (std::size_t m = 0; m < messages.size(); ++m)
                    EXPECT_NEAR(done.ends[m] - done.starts[m], messages[m].duration(), 1e-12);
                for (std::size_t m = 0; m < messages.size(); ++m)
                    for (const bool sending : {true, false}) {
                        const auto busy = std::ranges::count_if(messages, [&](const auto& other) {
                            const auto o = static_cast<std::size_t>(&other - messages.data());
                            const bool shared = sending ? other.from == messages[m].from
                                                        : other.to == messages[m].to;
                            const auto begin = [&](std::size_t i) {
                                return done.starts[i] + (sending ? 0 : messages[i].latency);
                            };
                            return shared && begin(o) <= begin(m) + 1e-12 &&
                                   begin(o) + other.gap > begin(m) + 1e-9;
                        });
                        EXPECT_LE(busy, ports);
                    }
                EXPECT_GE(done.makespan, truth.bound() - 1e-9);
            }
    }
}

TEST(Rehearsal, tells_the_order_in_which_every_port_took_its_messages) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const std::size_t ports = 1 + seed % 3;
        const auto [estimate, truth] = draw(seed, 6, 2, ports, seed % 2 == 0);
        for (const auto checkpoints : {Checkpoints::never, Checkpoints::half, Checkpoints::every}) {
            const auto done = rehearse(estimate.problem(), truth.problem(), open_shop,
                                       {checkpoints, Knowledge::directory});
            const auto replayed =
                simulate::simulate(truth.schedule(Found{.order = done.order}), truth.fabric());
            SCOPED_TRACE(::testing::Message() << "seed " << seed << ", " << name_of(checkpoints));
            for (std::size_t t = 0; t < done.order.size(); ++t) {
                const double start = done.starts[done.order[t].message];
                // Once the order is known, nobody has to wait for decisions any more.
                EXPECT_LE(replayed.transfers[t].start.value, start + 1e-9);
                if (done.changes == 0) {
                    EXPECT_NEAR(replayed.transfers[t].start.value, start, 1e-9);
                }
            }
            if (done.changes == 0) {
                EXPECT_NEAR(replayed.makespan.value, done.makespan, 1e-9);
            }
        }
    }
}

TEST(Rehearsal, with_the_true_times_of_the_rest_is_better_than_never_looking) {
    double never_sum = 0;
    double half_sum = 0;
    double every_sum = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const Both both = draw(seed, 12, 2);
        const auto makespan = [&](Checkpoints checkpoints) {
            return rehearse(both.estimate.problem(), both.truth.problem(), open_shop,
                            {checkpoints, Knowledge::directory})
                .makespan;
        };
        never_sum += makespan(Checkpoints::never);
        half_sum += makespan(Checkpoints::half);
        every_sum += makespan(Checkpoints::every);
    }
    EXPECT_LT(half_sum, never_sum);
    EXPECT_LT(every_sum, half_sum);
}

TEST(Rehearsal, half_has_logarithmically_many_checkpoints_and_a_threshold_saves_planning) {
    const Both both = draw(5, 16, 1);  // 240 messages
    const auto count = [&](Policy policy) {
        return rehearse(both.estimate.problem(), both.truth.problem(), open_shop, policy);
    };
    EXPECT_LE(count({Checkpoints::half, Knowledge::progress}).checkpoints, 8);
    const auto always = count({Checkpoints::every, Knowledge::progress});
    const auto seldom = count({Checkpoints::every, Knowledge::progress, 0.3});
    const auto hardly = count({Checkpoints::every, Knowledge::progress, 1e6});
    EXPECT_GT(always.checkpoints, 150);
    EXPECT_LT(seldom.reschedulings, always.reschedulings);
    EXPECT_EQ(hardly.reschedulings, 0);
    EXPECT_LE(always.changes, always.reschedulings);
}

TEST(Rehearsal, is_not_for_exchanges_whose_nodes_wait_for_each_other) {
    const auto [estimate, truth] = draw(1, 4, 1);
    const auto planner = [&](std::string_view name) {
        return planners(name, estimate.problem()).front().make;
    };
    EXPECT_THROW(
        (void)rehearse(estimate.problem(), truth.problem(), planner("caterpillar-barrier"), never),
        InputError);
    const StatedExchange waits(test::behind_an_uplink(), Matrix<double>(4, 4, 100), 3);
    EXPECT_THROW((void)rehearse(waits.problem(), waits.problem(), planner("far-first"), never),
                 InputError);
}

TEST(Noise, is_within_its_factor_the_same_for_one_seed_and_both_slower_and_faster) {
    const StatedExchange exact(Matrix<double>(20, 20, 1));
    const auto one = with_noise(exact.fabric(), 0.5, 7);
    const auto again = with_noise(exact.fabric(), 0.5, 7);
    std::size_t slower = 0;
    for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < 20; ++j) {
            const double gap = one->cost(i, j, Bytes(1)).gap.value;
            EXPECT_GE(gap, 1 / 1.5 - 1e-12);
            EXPECT_LE(gap, 1.5 + 1e-12);
            EXPECT_EQ(gap, again->cost(i, j, Bytes(1)).gap.value);
            if (gap > 1) ++slower;
        }
    EXPECT_GT(slower, 150);
    EXPECT_LT(slower, 250);
}

}  // namespace
}  // namespace espalier::demands
