#include "simulate/check.hpp"

#include "core/random.hpp"
#include "simulate/simulate.hpp"
#include "simulate/stated_plans.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using schedule::Kind;
using schedule::Schedule;
using schedule::StatedPlan;
using stated::fault_after;
using stated::fault_of;
using stated::planned;
using ::testing::HasSubstr;

/// Latencies and gaps of a millisecond, or so many times that.
network::Network far_apart(Random& random, std::size_t nodes, double times) {
    network::GridNetwork grid = *uniform_grid(nodes, 0, 0).grid();
    const auto draw = [&] {
        const double most = random.below(3) == 0 ? times : 1;
        return network::CostTable(Seconds(random.uniform(1e-3, 2e-3) * most));
    };
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            if (i != j) grid.links(i, j) = network::PLogP{draw(), draw()};
    return network::Network(std::move(grid));
}

TEST(Check, accepts_what_the_simulator_says_of_times_that_are_powers_of_ten_apart) {
    using Mode = schedule::Reception::Mode;
    Random random(1);
    for (const double times : {1e3, 1e6, 1e9, 1e12})
        for (const schedule::Reception& reception :
             {schedule::Reception{}, schedule::Reception{Mode::interleaved, 0.5, {}},
              schedule::Reception{Mode::buffered, 0, Bytes(200)}})
            for (int trial = 0; trial < 50; ++trial) {
                Schedule schedule = total_exchange();
                schedule.reception = reception;
                schedule.ports.count = 1 + random.below(2);
                const auto network = far_apart(random, 3, times);
                EXPECT_EQ(fault_of(planned(schedule, network), network), "")
                    << times << ", " << schedule::to_string(reception);
            }
}

TEST(Check, says_which_port_is_busy_with_a_message_that_is_short_beside_the_other) {
    network::GridNetwork grid = *uniform_grid(3, 0, 1e-3).grid();
    grid.links(2, 0)->gap = network::CostTable(Seconds(1e4));
    const network::Network network(grid);
    Schedule schedule = hand_made(Kind::reduce, 3, 100);
    add_combine(schedule, 1, 0);
    add_combine(schedule, 2, 0);
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    EXPECT_THAT(
        fault_after(schedule, network,
                    [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[1], -5e-4); }),
        HasSubstr("port of 'a' that is busy"));
}

}  // namespace
}  // namespace espalier::simulate
