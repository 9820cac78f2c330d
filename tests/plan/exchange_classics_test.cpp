// The planners of bhat-1998, section 4, each against a plain rewriting of its text.
#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/exchange/assignment.hpp"
#include "plan/exchange/caterpillar.hpp"
#include "plan/exchange/far_first.hpp"
#include "plan/exchange/greedy.hpp"
#include "plan/exchange/matching.hpp"
#include "plan/exchange/open_shop.hpp"
#include "simulate/simulate.hpp"
#include "support/exchange_problems.hpp"
#include "support/matrix_of.hpp"
#include "support/plan_within.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace espalier::plan::exchange {
namespace {

using test::all_times;
using test::for_random_times;
using test::matrix_of;
using test::random_times;
using test::StatedExchange;
using test::Times;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs pairs_of(const Problem& problem, const Found& found) {
    Pairs pairs;
    for (const std::size_t m : found.order)
        pairs.emplace_back(problem.messages[m].from, problem.messages[m].to);
    return pairs;
}

TEST(Caterpillar, starts_each_message_when_both_ends_are_done_with_the_step_before) {
    for_random_times(1, 1, 9, 30, [](const Matrix<double>& times, Random&) {
        const std::size_t n = times.rows();
        std::vector<double> sends(n, 0);
        std::vector<double> receives(n, 0);
        for (std::size_t step = 1; step < n; ++step)
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t to = (i + step) % n;
                if (times(i, to) == 0) continue;
                sends[i] = receives[to] = std::max(sends[i], receives[to]) + times(i, to);
            }
        const StatedExchange exchange(times);
        EXPECT_DOUBLE_EQ(exchange.makespan(test::plan_within({}, caterpillar, exchange.problem())),
                         *std::ranges::max_element(sends));
    });
}

TEST(Caterpillar, sends_to_the_next_node_first_and_to_the_one_before_last) {
    const StatedExchange exchange(Matrix<double>(3, 3, 1));
    EXPECT_THAT(
        pairs_of(exchange.problem(), test::plan_within({}, caterpillar, exchange.problem())),
        ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(2, 0), std::pair(0, 2),
                    std::pair(1, 0), std::pair(2, 1)));
}

TEST(Caterpillar, with_barriers_takes_the_longest_message_of_each_step) {
    for_random_times(2, 1, 9, 30, [](const Matrix<double>& times, Random&) {
        const std::size_t n = times.rows();
        double sum = 0;
        for (std::size_t step = 1; step < n; ++step) {
            double longest = 0;
            for (std::size_t i = 0; i < n; ++i)
                longest = std::max(longest, times(i, (i + step) % n));
            sum += longest;
        }
        const StatedExchange exchange(times);
        EXPECT_DOUBLE_EQ(
            exchange.makespan(test::plan_within({}, caterpillar_barrier, exchange.problem())), sum);
    });
}

TEST(Greedy, has_who_was_idle_choose_first_and_otherwise_the_last) {
    const StatedExchange exchange(
        matrix_of({{0, 5, 3, 0}, {4, 0, 6, 0}, {0, 7, 0, 0}, {2, 8, 1, 0}}));
    // 1: 0 takes 1, 1 takes 2, then 2 finds 1 taken and has no other, 3 takes 0.
    // 2: 2 first: it takes 1; then 0 takes 2, 1 takes 0, and 3 finds 1 and 2 taken.
    // 3: 3 first, alone.
    EXPECT_THAT(pairs_of(exchange.problem(), test::plan_within({}, greedy, exchange.problem())),
                ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(3, 0), std::pair(2, 1),
                            std::pair(0, 2), std::pair(1, 0), std::pair(3, 1), std::pair(3, 2)));
    const StatedExchange all_busy(matrix_of({{0, 2, 1}, {1, 0, 2}, {2, 1, 0}}));
    EXPECT_THAT(pairs_of(all_busy.problem(), test::plan_within({}, greedy, all_busy.problem())),
                ElementsAre(std::pair(0, 1), std::pair(1, 2), std::pair(2, 0), std::pair(2, 1),
                            std::pair(0, 2), std::pair(1, 0)));
}

/// Section 4.4, with nothing kept from step to step but what was sent and who comes when.
Pairs greedy_by_the_text(const Matrix<double>& times) {
    const std::size_t n = times.rows();
    std::set<std::pair<std::size_t, std::size_t>> sent;
    const auto left = [&](std::size_t from, std::size_t to) {
        return times(from, to) > 0 && !sent.contains({from, to});
    };
    Pairs order;
    std::vector<std::size_t> turns(n);
    std::iota(turns.begin(), turns.end(), std::size_t{0});
    while (true) {
        std::set<std::size_t> destinations;
        std::vector<std::size_t> idle;
        std::vector<std::size_t> sending;
        for (const std::size_t from : turns) {
            std::optional<std::size_t> best;
            bool done = true;
            for (std::size_t to = 0; to < n; ++to) {
                if (!left(from, to)) continue;
                done = false;
                if (!destinations.contains(to) && (!best || times(from, to) > times(from, *best)))
                    best = to;
            }
            if (best) {
                destinations.insert(*best);
                sent.emplace(from, *best);
                order.emplace_back(from, *best);
                sending.push_back(from);
            } else if (!done) {
                idle.push_back(from);
            }
        }
        if (sending.empty()) return order;
        if (idle.empty()) {
            sending.insert(sending.begin(), sending.back());
            sending.pop_back();
        }
        turns = idle;
        turns.insert(turns.end(), sending.begin(), sending.end());
    }
}

TEST(Greedy, does_what_the_text_says) {
    for_random_times(3, 1, 9, 30, [](const Matrix<double>& times, Random&) {
        const StatedExchange exchange(times);
        EXPECT_EQ(pairs_of(exchange.problem(), test::plan_within({}, greedy, exchange.problem())),
                  greedy_by_the_text(times));
    });
}

/// The least and the greatest weight of a permutation of edges that are left.
std::pair<double, double> extremes(const Matrix<double>& times, const Matrix<char>& left) {
    const std::size_t n = times.rows();
    std::vector<std::size_t> to(n);
    std::iota(to.begin(), to.end(), std::size_t{0});
    std::pair<double, double> result(1e300, -1);
    do {
        double weight = 0;
        bool exists = true;
        for (std::size_t from = 0; from < n; ++from) {
            weight += times(from, to[from]);
            exists = exists && left(from, to[from]);
        }
        if (!exists) continue;
        result = {std::min(result.first, weight), std::max(result.second, weight)};
    } while (std::ranges::next_permutation(to).found);
    return result;
}

TEST(Matching, makes_each_step_of_the_extreme_matching_of_what_is_left) {
    Random random(4);
    for (int round = 0; round < 40; ++round) {
        const std::size_t n = 2 + random.below(5);
        // Without ties, a zero stands on the diagonal alone, and each step is the only best one.
        const Matrix<double> times =
            random_times(random, n, round % 2 == 0 ? Times::even : Times::ranges);
        const StatedExchange exchange(times);
        for (const bool heavy : {true, false}) {
            const auto order =
                pairs_of(exchange.problem(),
                         heavy ? test::plan_within({}, matching_max, exchange.problem())
                               : test::plan_within({}, matching_min, exchange.problem()));
            Matrix<char> left(n, n, true);
            for (std::size_t begin = 0; begin < order.size();) {
                const auto [least, greatest] = extremes(times, left);
                // A step: all that follow until the weight is reached; the others keep to
                // themselves, as all do in the lightest step.
                std::set<std::size_t> senders;
                double weight = 0;
                std::size_t end = begin;
                while (end < order.size() && weight < (heavy ? greatest : least) * (1 - 1e-9)) {
                    EXPECT_TRUE(senders.insert(order[end].first).second);
                    weight += times(order[end].first, order[end].second);
                    left(order[end].first, order[end].second) = false;
                    ++end;
                }
                for (std::size_t node = 0; node < n; ++node)
                    if (!senders.contains(node)) left(node, node) = false;
                ASSERT_NEAR(weight, heavy ? greatest : least, 1e-9 * greatest);
                begin = end;
            }
        }
    }
}

std::int64_t cost_of(const std::vector<Edge>& edges, const std::vector<std::size_t>& matching) {
    std::int64_t sum = 0;
    std::set<std::size_t> rights;
    for (std::size_t left = 0; left < matching.size(); ++left) {
        EXPECT_EQ(edges.at(matching[left]).left, left);
        EXPECT_TRUE(rights.insert(edges[matching[left]].right).second);
        sum += edges[matching[left]].cost;
    }
    return sum;
}

TEST(LeastMatching, is_the_least_of_all_and_refuses_graphs_that_have_none) {
    Random random(5);
    int without = 0;
    for (int round = 0; round < 300; ++round) {
        const std::size_t side = 1 + random.below(6);
        std::vector<Edge> edges;
        Matrix<double> costs(side, side, 0);
        Matrix<char> exists(side, side, false);
        for (std::size_t left = 0; left < side; ++left)
            for (std::size_t right = 0; right < side; ++right)
                if (random.below(3) > 0) {
                    const auto cost = static_cast<std::int64_t>(random.below(41)) - 20;
                    edges.push_back({left, right, cost});
                    costs(left, right) = static_cast<double>(cost);
                    exists(left, right) = true;
                }
        const double least = extremes(costs, exists).first;
        if (least > 1e200) {
            ++without;
            EXPECT_THROW(static_cast<void>(least_matching(side, edges)), std::invalid_argument);
        } else {
            EXPECT_EQ(static_cast<double>(cost_of(edges, least_matching(side, edges))), least);
        }
    }
    EXPECT_GT(without, 30);
}

TEST(LeastMatching, does_not_overflow_with_the_greatest_costs) {
    Random random(6);
    for (const std::size_t side : {1U, 2U, 30U, 120U}) {
        const std::int64_t most = greatest_edge_cost(side);
        // Prices of both sides, of which a hidden permutation is worth exactly the sum: no other
        // can be cheaper.
        std::vector<std::int64_t> prices(2 * side);
        for (auto& price : prices)
            price = static_cast<std::int64_t>(random.below(2)) * (most / 2) - most / 4;
        std::vector<std::size_t> hidden(side);
        std::iota(hidden.begin(), hidden.end(), std::size_t{0});
        for (std::size_t i = side; i > 1; --i) std::swap(hidden[i - 1], hidden[random.below(i)]);
        std::vector<Edge> edges;
        for (std::size_t left = 0; left < side; ++left)
            for (std::size_t right = 0; right < side; ++right) {
                const std::int64_t spare = right == hidden[left] ? 0 : most / 2;
                edges.push_back({left, right, prices[left] + prices[side + right] + spare});
                ASSERT_LE(std::abs(edges.back().cost), most);
            }
        EXPECT_EQ(cost_of(edges, least_matching(side, edges)),
                  std::accumulate(prices.begin(), prices.end(), std::int64_t{0}));
    }
}

/// Section 4.5, with the data structures of its text; latencies and ports as our model has them.
struct OpenShop {
    Pairs order;
    double end = 0;
};
OpenShop open_shop_by_the_text(const Matrix<double>& gaps, const Matrix<double>& latencies,
                               std::size_t ports) {
    const std::size_t n = gaps.rows();
    const auto latency = [&](std::size_t from, std::size_t to) {
        return latencies.rows() > 0 ? latencies(from, to) : 0;
    };
    std::vector<std::set<std::size_t>> receivers(n);
    for (std::size_t from = 0; from < n; ++from)
        for (std::size_t to = 0; to < n; ++to)
            if (gaps(from, to) > 0) receivers[from].insert(to);
    std::vector<std::vector<double>> sendavail(n, std::vector<double>(ports, 0));
    auto recvavail = sendavail;
    OpenShop result;
    while (true) {
        std::optional<std::size_t> sender;
        for (std::size_t i = 0; i < n; ++i)
            if (!receivers[i].empty() &&
                (!sender || *std::ranges::min_element(sendavail[i]) <
                                *std::ranges::min_element(sendavail[*sender])))
                sender = i;
        if (!sender) return result;
        double& sends = *std::ranges::min_element(sendavail[*sender]);
        std::size_t chosen = n;
        double earliest = 1e300;
        for (const std::size_t to : receivers[*sender]) {
            const double free = *std::ranges::min_element(recvavail[to]) - latency(*sender, to);
            if (free < earliest) {
                earliest = free;
                chosen = to;
            }
        }
        const double start = std::max(sends, earliest);
        sends = start + gaps(*sender, chosen);
        double& receives = *std::ranges::min_element(recvavail[chosen]);
        receives = start + (gaps(*sender, chosen) + latency(*sender, chosen));
        result.end = std::max(result.end, receives);
        result.order.emplace_back(*sender, chosen);
        receivers[*sender].erase(chosen);
    }
}

TEST(OpenShop, does_what_the_text_says) {
    for_random_times(7, 1, 10, 30, [](const Matrix<double>& times, Random&) {
        const StatedExchange exchange(times);
        const auto found = test::plan_within({}, open_shop, exchange.problem());
        const auto expected = open_shop_by_the_text(times, {}, 1);
        EXPECT_EQ(pairs_of(exchange.problem(), found), expected.order);
        EXPECT_DOUBLE_EQ(exchange.makespan(found), expected.end);
    });
}

TEST(OpenShop, counts_latencies_and_ports) {
    for_random_times(8, 1, 10, 30, [](const Matrix<double>& times, Random& random) {
        const auto latencies =
            random_times(random, times.rows(), all_times[random.below(all_times.size())]);
        const std::size_t ports = 1 + random.below(3);
        const StatedExchange exchange(times, latencies, ports);
        EXPECT_EQ(
            pairs_of(exchange.problem(), test::plan_within({}, open_shop, exchange.problem())),
            open_shop_by_the_text(times, latencies, ports).order);
    });
}

TEST(ExchangePlanners, bring_every_message_to_its_receiver_whatever_there_is_to_send) {
    for_random_times(9, 1, 8, 5, [](const Matrix<double>& times, Random& random) {
        const auto latencies =
            random_times(random, times.rows(), all_times[random.below(all_times.size())]);
        const StatedExchange exchange(times, latencies, 1 + random.below(2));
        for (const Planner planner : {caterpillar, caterpillar_barrier, far_first, greedy,
                                      matching_max, matching_min, open_shop}) {
            const Found found = test::plan_within({}, planner, exchange.problem());
            EXPECT_EQ(found.order.size(), exchange.problem().messages.size());
            EXPECT_GE(exchange.makespan(found), exchange.bound() * (1 - 1e-12));
        }
    });
}

TEST(ExchangePlanners, have_nothing_to_do_where_nothing_is_sent) {
    const StatedExchange exchange(Matrix<double>(3, 3, 0));
    for (const auto& algorithm : algorithms())
        if (const auto* planner = std::get_if<Planner>(&algorithm.make)) {
            EXPECT_TRUE(test::plan_within({}, *planner, exchange.problem()).order.empty())
                << algorithm.name;
        }
    EXPECT_EQ(exchange.bound(), 0);
}

TEST(ExchangePlanners, of_the_paper_are_in_the_table_and_auto_keeps_off_series_of_matchings) {
    for (const std::string_view name : {"caterpillar", "caterpillar-barrier", "greedy",
                                        "matching-max", "matching-min", "open-shop"}) {
        const Algorithm* algorithm = find_algorithm(Family::exchange, name);
        ASSERT_NE(algorithm, nullptr) << name;
        EXPECT_THAT(std::string(algorithm->source), HasSubstr("bhat-1998 4")) << name;
        EXPECT_EQ(algorithm->by_default,
                  !name.starts_with("matching") && name != "caterpillar-barrier");
    }
}

}  // namespace
}  // namespace espalier::plan::exchange
