#include "core/infinity.hpp"
#include "plan/grid/by_speed.hpp"

#include "network/convert.hpp"
#include "network/grid_view.hpp"
#include "schedule/mirror.hpp"
#include "schedule/validate.hpp"
#include "sender/greedy.hpp"
#include "simulate/simulate.hpp"
#include "simulate/transposed.hpp"
#include "support/grid_oracle.hpp"
#include "support/grid_problems.hpp"
#include "support/hand_schedules.hpp"
#include "support/print_send.hpp"
#include "support/racing.hpp"
#include "support/random_grids.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace espalier {
namespace {

using plan::grid::Order;
using plan::grid::Problem;

/// Every node takes its own time, whoever receives (or, transposed, whoever sends).
Problem senders(const std::vector<double>& time, bool transposed) {
    const std::size_t n = time.size();
    Problem problem{.root = 0,
                    .gap = Matrix<double>(n, n, 0),
                    .latency = Matrix<double>(n, n, 0),
                    .inner = std::vector<double>(n, 0)};
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            if (i != j) problem.gap(i, j) = transposed ? time[j] : time[i];
    return problem;
}

TEST(GridBySpeed, fnf_serves_the_fastest_first) {
    // 2 at 3; then 1 from 2 at 4, and 3 from 2 at 5.
    EXPECT_EQ(plan::grid::fastest_node_first(senders({3, 2, 1, 9}, false)),
              (Order{{0, 2}, {2, 1}, {2, 3}}));
}

TEST(GridBySpeed, snf_lets_the_slowest_send_first) {
    // Backwards 2 is next, at 1, then 1, from 0 or 2, then 3. Forwards 3 sends to 0 first.
    const Order order = plan::grid::slowest_node_first(senders({3, 2, 1, 9}, true));
    ASSERT_EQ(order.size(), 3U);
    EXPECT_EQ(order[0], (plan::grid::Send{0, 2}));
    EXPECT_EQ(order[1].to, 1U);
    EXPECT_EQ(order[2].to, 3U);
}

TEST(GridBySpeed, fnf_is_that_of_senders_where_only_senders_matter) {
    Random random(1);
    for (int n = 0; n < 500; ++n) {
        std::vector<double> time;
        network::SenderNetwork network;
        const std::size_t nodes = 1 + random.below(9);
        for (std::size_t i = 0; i < nodes; ++i) {
            time.push_back(static_cast<double>(1 + random.below(6)));
            network.classes.push_back({std::to_string(i), time.back(), 1, true});
        }
        const auto problem = sender::make_problem(network, schedule::Kind::broadcast, 0);
        const Problem pairwise = senders(time, false);
        EXPECT_EQ(makespan(pairwise, plan::grid::fastest_node_first(pairwise)),
                  sender::fastest_node_first(problem).makespan)
            << n;
    }
}

TEST(GridBySpeed, serve_in_the_order_of_mean_times_from_the_earliest_sender) {
    Random random(2);
    for (int n = 0; n < 300; ++n) {
        Problem problem = testing::random_problem(random, 2 + random.below(8),
                                                  {.latency = {0, 1}, .gap = {0, 1}, .ports = 3});
        const std::size_t size = problem.size();
        for (const bool transposed : {false, true}) {
            const Order order = transposed ? plan::grid::slowest_node_first(problem)
                                           : plan::grid::fastest_node_first(problem);
            const auto mean = [&](std::size_t i) {
                double sum = 0;
                for (std::size_t j = 0; j < size; ++j)
                    if (i != j) sum += transposed ? problem.delivery(j, i) : problem.delivery(i, j);
                return sum;
            };
            std::vector<std::vector<double>> free(size);
            free[problem.root].assign(problem.ports, 0);
            for (std::size_t s = 0; s < order.size(); ++s) {
                if (s > 0) {
                    ASSERT_LE(mean(order[s - 1].to), mean(order[s].to));
                }
                const auto arrival = [&](std::size_t from) {
                    return free[from].empty()
                               ? infinity
                               : std::ranges::min(free[from]) + problem.delivery(from, order[s].to);
                };
                for (std::size_t i = 0; i < size; ++i)
                    ASSERT_LE(arrival(order[s].from), arrival(i)) << n;
                free[order[s].to].assign(problem.ports, arrival(order[s].from));
                *std::ranges::min_element(free[order[s].from]) +=
                    problem.gap(order[s].from, order[s].to);
            }
        }
    }
}

TEST(Pairwise, plans_keep_both_ends_busy_from_start_to_end) {
    Random random(3);
    for (int n = 0; n < 60; ++n) {
        const auto pairwise = testing::random_pairwise(random, 2 + random.below(6), {});
        const network::GridNetwork grid = to_grid(pairwise);
        const network::GridView view(grid);
        const plan::Job job = plan::Job::everywhere(view);
        plan::Request request;
        request.root = random.below(pairwise.size());
        request.bytes = Bytes(12);
        request.ports = 1 + random.below(3) / 2;
        request.kind = n % 2 == 0 ? schedule::Kind::broadcast : schedule::Kind::reduce;
        request.algorithm = n % 2 == 0 ? "fnf" : "snf";
        if (n % 3 == 0) request.algorithm = n % 6 == 0 ? "ecef" : "ecef-la";
        const auto plan = ranked_best(job, request);
        const auto& schedule = plan.by_cluster().schedule;
        const auto& timeline = plan.by_cluster().timeline;
        ASSERT_EQ(find_violation(schedule).value_or(schedule::Violation{}).what, "");
        // The network's own fabric, which has never heard of latencies, gives the same times.
        const network::Network network(pairwise);
        const auto own = simulate::simulate(schedule, *simulate::make_fabric(network));
        EXPECT_NEAR(own.makespan.value, timeline.makespan.value, 1e-12 * own.makespan.value);
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            const auto [from, to] = std::pair(schedule.transfers[t].from, schedule.transfers[t].to);
            const double cost =
                (*pairwise.startup(from, to) + Bytes(12) / *pairwise.bandwidth(from, to)).value;
            const auto& times = timeline.transfers[t];
            EXPECT_NEAR(times.end.value - times.start.value, cost, 1e-12 * times.end.value);
            EXPECT_EQ(times.sent, times.end);
            EXPECT_EQ(times.arrival, times.start);
        }
    }
}

}  // namespace
}  // namespace espalier
