#include "sender/greedy.hpp"
#include "support/sender_problems.hpp"
#include "support/sender_schedules.hpp"

#include <gtest/gtest.h>

namespace espalier::sender {
namespace {

using espalier::test::listed;
using espalier::test::simulated;

TEST(Sequence, simulates_to_its_own_makespan_on_any_ports_and_root) {
    const auto network = listed({3, 1.25, 2, 7, 2, 2, 9, 1.25, 4, 4, 4, 30, 1e6});
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
        for (const std::size_t ports : {1U, 2U, 3U})
            for (std::size_t root = 0; root < network.size(); ++root)
                for (const auto plan : {fastest_node_first, slowest_node_first}) {
                    const auto problem = make_problem(network, kind, root, ports);
                    const auto result = plan(problem, {});
                    EXPECT_DOUBLE_EQ(result.makespan,
                                     simulated(problem, result.sequence, network, root))
                        << name_of(kind) << " on " << ports << " ports from " << root;
                }
}

TEST(Sequence, takes_nodes_that_act_alike_at_one_time_together) {
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
        const Problem problem{.kind = kind,
                              .classes = {{1, 4'000'000'000}, {2.5, 3'000'000'000}},
                              .root = 1,
                              .ports = 1};
        const auto result = greedy(problem);
        const std::vector<double> time{1, 2.5};
        EXPECT_LT(run_course(problem, result.sequence, std::span<const double>(time)).waves.size(),
                  200U);
    }
}

TEST(Ticks, makes_decimal_fractions_whole) {
    const auto problem =
        make_problem(listed({0.3, 0.1, 0.25}), schedule::Kind::broadcast, std::nullopt);
    const auto ticks = in_ticks(problem, 3);
    EXPECT_TRUE(ticks.exact);
    EXPECT_EQ(ticks.time, (std::vector<Ticks>{2, 5, 6}));
    EXPECT_DOUBLE_EQ(ticks.tick, 0.05);
}

TEST(Ticks, rounds_other_times_down_and_puts_those_beyond_the_horizon_out_of_reach) {
    const auto problem =
        make_problem(listed({1 / 3.0, 2 / 7.0, 1e12}), schedule::Kind::broadcast, std::nullopt);
    const auto ticks = in_ticks(problem, 3);
    EXPECT_FALSE(ticks.exact);
    for (const std::size_t c : {0U, 1U}) {
        EXPECT_LE(ticks.in_units(ticks.time[c]), problem.classes[c].time);
        EXPECT_NEAR(ticks.in_units(ticks.time[c]), problem.classes[c].time, 1e-15);
    }
    EXPECT_GT(ticks.time[2], ticks.horizon);
}

}  // namespace
}  // namespace espalier::sender
