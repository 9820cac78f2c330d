// What bhat-1998 proves of its planners, what of it needs other words, and what does not carry over
// to latencies and several ports.
#include "plan/exchange/caterpillar.hpp"
#include "plan/exchange/matching.hpp"
#include "plan/exchange/open_shop.hpp"
#include "simulate/dependences.hpp"
#include "simulate/simulate.hpp"
#include "support/exchange_problems.hpp"
#include "support/plan_within.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace espalier::plan::exchange {
namespace {

using test::for_random_times;
using test::StatedExchange;

/// The baseline takes turns of a long and a short message: the long ones have neither sender nor
/// receiver in common, but each waits for the one before it through the short one between them.
Matrix<double> tight_for_caterpillar(std::size_t nodes, double shortest) {
    Matrix<double> times(nodes, nodes, shortest);
    for (std::size_t k = 0; k < nodes / 2; ++k) times((nodes - k) % nodes, (k + 1) % nodes) = 1;
    return times;
}

TEST(Caterpillar, is_within_half_the_nodes_of_the_bound_theorem_2) {
    for_random_times(1, 2, 10, 60, [](const Matrix<double>& times, Random&) {
        const StatedExchange exchange(times);
        const std::size_t half = times.rows() / 2;
        EXPECT_LE(exchange.makespan(test::plan_within({}, caterpillar, exchange.problem())),
                  static_cast<double>(half) * exchange.bound() * (1 + 1e-12));
    });
}

TEST(Caterpillar, can_be_that_bad_with_any_number_of_nodes) {
    for (std::size_t nodes = 2; nodes <= 25; ++nodes) {
        const double shortest = 1e-6;
        const StatedExchange exchange(tight_for_caterpillar(nodes, shortest));
        const double half = std::floor(static_cast<double>(nodes) / 2);
        const double ratio =
            exchange.makespan(test::plan_within({}, caterpillar, exchange.problem())) /
            exchange.bound();
        EXPECT_LE(ratio, half);
        EXPECT_GT(ratio, half * (1 - shortest * static_cast<double>(nodes)));
    }
}

TEST(Caterpillar, takes_twice_the_bound_on_the_tight_matrix_of_theorem_2) {
    for (const double e : {0.1, 1e-3, 1e-9}) {
        Matrix<double> times(4, 4, e);
        times(1, 1) = times(2, 0) = times(2, 1) = times(3, 0) = 1;
        const StatedExchange exchange(test::with_messages_to_oneself(times));
        EXPECT_DOUBLE_EQ(exchange.bound(), 2 + 2 * e);
        EXPECT_DOUBLE_EQ(exchange.makespan(test::plan_within({}, caterpillar, exchange.problem())),
                         4);
    }
}

TEST(Caterpillar, with_messages_to_oneself_and_an_odd_number_is_within_half_of_one_more) {
    // Three processors: 2 is more than 3/2.
    Matrix<double> times(3, 3, 1e-6);
    times(1, 1) = times(2, 0) = 1;
    const StatedExchange tight(test::with_messages_to_oneself(times));
    EXPECT_NEAR(tight.makespan(test::plan_within({}, caterpillar, tight.problem())) / tight.bound(),
                2, 1e-5);

    for_random_times(2, 2, 9, 40, [](const Matrix<double>& drawn, Random& random) {
        Matrix<double> with_diagonal = drawn;
        for (std::size_t i = 0; i < drawn.rows(); ++i)
            with_diagonal(i, i) = drawn(i, (i + 1 + random.below(drawn.rows() - 1)) % drawn.rows());
        const StatedExchange exchange(test::with_messages_to_oneself(with_diagonal));
        const std::size_t half = (drawn.rows() + 1) / 2;
        EXPECT_LE(exchange.makespan(test::plan_within({}, caterpillar, exchange.problem())),
                  static_cast<double>(half) * exchange.bound() * (1 + 1e-12));
    });
}

TEST(Caterpillar, depends_on_the_step_before_through_a_sender_or_a_receiver) {
    for_random_times(3, 2, 9, 20, [](const Matrix<double>& times, Random&) {
        const StatedExchange exchange(times);
        const auto schedule =
            exchange.schedule(test::plan_within({}, caterpillar, exchange.problem()));
        const auto timeline = simulate::simulate(schedule, exchange.fabric());
        const simulate::Dependences dependences(schedule, timeline);
        const std::size_t n = times.rows();
        const auto step = [&](const schedule::Transfer& t) { return (t.to + n - t.from) % n; };
        bool full = true;
        for (std::size_t i = 0; i < n * n; ++i)
            full = full && (i % (n + 1) == 0 || times(i / n, i % n) > 0);
        for (std::size_t t = 0; t < dependences.size(); ++t) {
            const auto& transfer = schedule.transfers[t];
            for (const auto& [before, bond] : dependences.of(t)) {
                const auto& earlier = schedule.transfers[before];
                EXPECT_LT(step(earlier), step(transfer));
                EXPECT_TRUE(bond == simulate::Bond::sender ? earlier.from == transfer.from
                                                           : earlier.to == transfer.to);
                if (full) {
                    EXPECT_EQ(step(earlier) + 1, step(transfer));
                }
            }
            if (full) {
                EXPECT_EQ(dependences.of(t).size(), step(transfer) == 1 ? 0 : 2);
            }
        }
        // So the longest chain has at most a message of each step, and adds up to all.
        const auto path = simulate::critical_path(schedule, timeline, dependences);
        double sum = 0;
        for (const auto& link : path.steps)
            sum += timeline.transfers[link.transfer].end.value -
                   timeline.transfers[link.transfer].start.value;
        EXPECT_LE(path.steps.size(), n - 1);
        EXPECT_DOUBLE_EQ(sum, timeline.makespan.value);
        EXPECT_EQ(path.idle.value, 0);
    });
}

TEST(Caterpillar, may_take_longer_than_that_where_messages_travel_for_a_while) {
    // 0 to 1 is short and comes late; 2 to 1 waits for it, and is long.
    Matrix<double> gaps(3, 3, 0);
    Matrix<double> latencies(3, 3, 0);
    gaps(0, 1) = 1e-6;
    latencies(0, 1) = 1;
    gaps(2, 1) = 1;
    const StatedExchange exchange(gaps, latencies);
    EXPECT_NEAR(exchange.makespan(test::plan_within({}, caterpillar, exchange.problem())) /
                    exchange.bound(),
                2, 1e-5);
}

TEST(Matching, is_within_half_the_nodes_of_the_bound_like_the_baseline) {
    for_random_times(4, 2, 8, 40, [](const Matrix<double>& times, Random&) {
        const StatedExchange exchange(times);
        const std::size_t half = (times.rows() + 1) / 2;
        for (const Planner planner : {matching_max, matching_min})
            EXPECT_LE(exchange.makespan(test::plan_within({}, planner, exchange.problem())),
                      static_cast<double>(half) * exchange.bound() * (1 + 1e-12));
    });
}

/// What a node sends, or receives, in all.
double load(const StatedExchange& exchange, std::optional<std::size_t> from,
            std::optional<std::size_t> to) {
    double sum = 0;
    for (const Message& message : exchange.problem().messages)
        if (message.from == from.value_or(message.from) && message.to == to.value_or(message.to))
            sum += message.gap;
    return sum;
}

TEST(OpenShop, ends_before_its_last_sender_and_receiver_could_have_worked_in_turns_theorem_3) {
    for_random_times(5, 2, 12, 60, [](const Matrix<double>& times, Random&) {
        const StatedExchange exchange(times);
        const auto schedule =
            exchange.schedule(test::plan_within({}, open_shop, exchange.problem()));
        const auto timeline = simulate::simulate(schedule, exchange.fabric());
        EXPECT_LE(timeline.makespan.value, 2 * exchange.bound() * (1 + 1e-12));
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            if (timeline.transfers[t].end < timeline.makespan) continue;
            const auto& last = schedule.transfers[t];
            EXPECT_LE(timeline.makespan.value,
                      (load(exchange, last.from, {}) + load(exchange, {}, last.to) -
                       times(last.from, last.to)) *
                          (1 + 1e-12));
        }
    });
}

TEST(OpenShop, is_within_twice_the_bound_where_all_messages_travel_equally_long) {
    for_random_times(6, 2, 12, 60, [](const Matrix<double>& times, Random& random) {
        const Matrix<double> latencies(times.rows(), times.rows(), random.uniform(0, 3));
        const StatedExchange exchange(times, latencies);
        EXPECT_LE(exchange.makespan(test::plan_within({}, open_shop, exchange.problem())),
                  2 * exchange.bound() * (1 + 1e-12));
    });
}

TEST(OpenShop, may_take_longer_than_that_where_some_travel_longer_than_others) {
    Matrix<double> gaps(5, 5, 0);
    Matrix<double> latencies(5, 5, 0);
    gaps(0, 2) = gaps(1, 2) = gaps(1, 3) = gaps(4, 0) = 0.01;
    latencies(0, 2) = latencies(1, 2) = 1;
    gaps(1, 0) = gaps(4, 2) = 1;
    const StatedExchange exchange(gaps, latencies);
    EXPECT_GT(
        exchange.makespan(test::plan_within({}, open_shop, exchange.problem())) / exchange.bound(),
        2.9);
}

TEST(OpenShop, with_k_ports_is_within_three_less_two_kths_of_the_bound) {
    for_random_times(7, 2, 10, 30, [](const Matrix<double>& times, Random&) {
        for (const std::size_t ports : {2U, 3U, 4U}) {
            const StatedExchange exchange(times, {}, ports);
            EXPECT_LE(exchange.makespan(test::plan_within({}, open_shop, exchange.problem())),
                      (3 - 2 / static_cast<double>(ports)) * exchange.bound() * (1 + 1e-12));
        }
    });
    // Two ports reach their 2, and three are beyond it.
    const StatedExchange two(Matrix<double>(4, 4, 1), {}, 2);
    EXPECT_DOUBLE_EQ(two.makespan(test::plan_within({}, open_shop, two.problem())) / two.bound(),
                     2);
    const StatedExchange three(Matrix<double>(5, 5, 1), {}, 3);
    EXPECT_DOUBLE_EQ(
        three.makespan(test::plan_within({}, open_shop, three.problem())) / three.bound(), 2.25);
}

}  // namespace
}  // namespace espalier::plan::exchange
