#include "plan/local/scatter_collect.hpp"
#include "plan/local_support.hpp"
#include "schedule/validate.hpp"

#include <gtest/gtest.h>

#include <set>

namespace espalier::plan::local::test {

namespace {

/// All roots of small clusters, and the ends and the middle of larger ones.
std::set<std::size_t> roots(std::size_t nodes) {
    std::set<std::size_t> all{0, nodes / 2, nodes - 1};
    if (nodes <= 9)
        for (std::size_t root = 0; root < nodes; ++root) all.insert(root);
    return all;
}

std::vector<std::size_t> segment_counts(const Strategy& strategy) {
    return strategy.segmented ? std::vector<std::size_t>{1, 2, 3, 16} : std::vector<std::size_t>{1};
}

template <typename Check>
void for_every_schedule(const Check& check) {
    for (const auto& [name, strategy] : strategies())
        for (std::size_t nodes = 1; nodes <= 40; ++nodes)
            for (const std::uint64_t bytes : {0U, 1U, 13U, 99'991U, 1U << 22})
                for (const std::size_t segments : segment_counts(strategy))
                    for (const std::size_t root : roots(nodes)) {
                        SCOPED_TRACE(name + ", " + std::to_string(nodes) + " nodes, root " +
                                     std::to_string(root) + ", " + std::to_string(bytes) + " B, " +
                                     std::to_string(segments) + " segments");
                        const Problem instance = problem(nodes, bytes, gigabit());
                        check(strategy.make(instance, root, segments), instance, root);
                        if (::testing::Test::HasFailure()) return;
                    }
}

}  // namespace

TEST(LocalSchedules, do_their_job_from_every_root_at_every_size) {
    for_every_schedule(
        [](const schedule::Schedule& schedule, const Problem& instance, std::size_t root) {
            EXPECT_EQ(schedule.collective.kind, schedule::Kind::broadcast);
            EXPECT_EQ(schedule.collective.nodes, instance.nodes);
            EXPECT_EQ(schedule.collective.root, root);
            EXPECT_EQ(schedule.collective.bytes, instance.bytes);
            const auto violation = schedule::find_violation(schedule);
            EXPECT_FALSE(violation.has_value()) << violation->what;
        });
}

TEST(LocalSchedules, send_the_data_to_each_node_but_the_root_exactly_once) {
    for_every_schedule(
        [](const schedule::Schedule& schedule, const Problem& instance, std::size_t root) {
            std::vector<std::uint64_t> received(instance.nodes);
            for (const auto& transfer : schedule.transfers)
                if (!schedule.chunks[transfer.chunk].control)
                    received[transfer.to] += schedule.bytes_of(transfer).value;
            for (std::size_t node = 0; node < instance.nodes; ++node)
                EXPECT_EQ(received[node], node == root ? 0 : instance.bytes.value);
        });
}

TEST(LocalSchedules, of_a_single_node_send_nothing_and_cost_nothing) {
    for (const auto& [name, strategy] : strategies()) {
        SCOPED_TRACE(name);
        const Problem alone = problem(1, 1 << 20, gigabit());
        EXPECT_TRUE(strategy.make(alone, 0, 8).transfers.empty());
        EXPECT_EQ(strategy.formula(alone, 8), Seconds(0));
    }
}

TEST(LocalSchedules, never_have_an_empty_segment) {
    for (const auto& [name, strategy] : strategies()) {
        if (!strategy.segmented) continue;
        SCOPED_TRACE(name);
        EXPECT_EQ(strategy.make(problem(5, 3, gigabit()), 0, 8).chunks[0].segments, 3);
        EXPECT_EQ(strategy.make(problem(5, 0, gigabit()), 0, 8).chunks[0].segments, 1);
        EXPECT_EQ(strategy.formula(problem(5, 3, gigabit()), 8),
                  strategy.formula(problem(5, 3, gigabit()), 3));
    }
}

TEST(LocalSchedules, that_are_not_segmented_ignore_the_number_of_segments) {
    for (const auto& [name, strategy] : strategies()) {
        if (strategy.segmented) continue;
        SCOPED_TRACE(name);
        const Problem instance = problem(11, 1 << 20, gigabit());
        EXPECT_EQ(strategy.formula(instance, 1), strategy.formula(instance, 64));
        const auto once = strategy.make(instance, 3, 1);
        const auto often = strategy.make(instance, 3, 64);
        EXPECT_EQ(reference_makespan(once, instance.link),
                  reference_makespan(often, instance.link));
        for (const auto& chunk : often.chunks) EXPECT_EQ(chunk.segments, 1);
    }
}

TEST(LocalSchedules, take_the_same_time_from_every_root) {
    for (const auto& [name, strategy] : strategies())
        for (const std::size_t nodes : {2U, 3U, 7U, 8U, 12U}) {
            SCOPED_TRACE(name + ", " + std::to_string(nodes) + " nodes");
            const Problem instance = problem(nodes, 100'000, gigabit());
            const Seconds from_first =
                reference_makespan(strategy.make(instance, 0, 5), instance.link);
            for (std::size_t root = 1; root < nodes; ++root)
                EXPECT_EQ(reference_makespan(strategy.make(instance, root, 5), instance.link),
                          from_first);
        }
}

TEST(LocalSchedules, of_scatter_collect_make_no_block_for_a_byte_that_is_not_there) {
    const auto schedule = scatter_collect().make(problem(8, 3, gigabit()), 0, 1);
    ASSERT_EQ(schedule.chunks.size(), 3);
    for (const auto& chunk : schedule.chunks) EXPECT_EQ(chunk.bytes, Bytes(1));
}

}  // namespace espalier::plan::local::test
