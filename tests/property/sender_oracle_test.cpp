#include "support/sender_oracle.hpp"
#include "sender/sequence.hpp"
#include "support/sender_problems.hpp"

#include <gtest/gtest.h>

namespace espalier::sender {
namespace {

Sequence sequence_of(const test::NodeOrder& order) {
    Sequence sequence{order.root, {}};
    for (const std::size_t c : order.classes) sequence.runs.push_back({c, 1});
    return sequence;
}

TEST(NodeOracles, agree_with_each_other_on_any_ports_and_root) {
    Random random(1);
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
        for (const bool any_root : {true, false})
            for (const bool real : {true, false})
                for (const std::size_t ports : {1U, 2U, 3U})
                    for (int trial = 0; trial < 25; ++trial) {
                        const auto problem = test::random_nodes(
                            random, kind,
                            {.most = 6, .real = real, .any_root = any_root, .ports = ports});
                        EXPECT_DOUBLE_EQ(test::least_makespan_of_orders(problem),
                                         test::least_makespan_of_trees(problem));
                    }
}

TEST(NodeOracles, time_every_order_as_a_course_does) {
    Random random(2);
    for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce})
        for (const std::size_t ports : {1U, 2U, 3U})
            for (int trial = 0; trial < 20; ++trial) {
                const auto problem = test::random_nodes(random, kind, {.most = 7, .ports = ports});
                test::for_each_order(problem, [&](const auto& order, const auto& times) {
                    EXPECT_DOUBLE_EQ(times.makespan, makespan_of(problem, sequence_of(order)));
                });
            }
}

}  // namespace
}  // namespace espalier::sender
