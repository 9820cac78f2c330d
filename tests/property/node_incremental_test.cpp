#include "core/error.hpp"
#include "plan/node/greedy.hpp"
#include "plan/node/incremental.hpp"
#include "schedule/validate.hpp"
#include "simulate/simulate.hpp"
#include "support/random_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace espalier::plan::node {
namespace {

using Node = IncrementalBroadcast::Node;
using Transfer = IncrementalBroadcast::Transfer;

std::vector<double> times_of(const std::vector<Node>& nodes) {
    std::vector<double> times;
    for (const Node& node : nodes) times.push_back(node.time);
    return times;
}

/// Who sends to each node, and when it has arrived.
std::map<std::string, Transfer> transfers_of(const IncrementalBroadcast& broadcast) {
    const auto schedule = broadcast.schedule();
    const network::Network network(testing::listed(times_of(broadcast.sequence())));
    const auto timeline = simulate::simulate(schedule, *simulate::make_fabric(network));
    std::map<std::string, Transfer> transfers;
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const auto& transfer = schedule.transfers[t];
        const std::string& to = schedule.nodes[transfer.to];
        transfers[to] = {schedule.nodes[transfer.from], to, timeline.transfers[t].end.value};
    }
    return transfers;
}

void do_their_job(const IncrementalBroadcast& broadcast, std::size_t ports,
                  std::optional<double> root_time) {
    const auto violation = find_violation(broadcast.schedule());
    ASSERT_FALSE(violation) << violation->what;
    const auto problem = testing::nodes_of(schedule::Kind::broadcast,
                                           times_of(broadcast.sequence()), root_time, ports);
    ASSERT_DOUBLE_EQ(broadcast.makespan(), fastest_node_first(problem).makespan);
}

struct Shape {
    std::size_t ports;
    bool given_root;
    bool real;
};

/// Nodes join and leave at random; the schedule must be the one from scratch, and what is said to
/// have changed must be what did.
void follow_joins_and_leaves(Random& random, const Shape& shape) {
    const auto draw = [&] {
        return shape.real ? random.uniform(1, 9) : static_cast<double>(1 + random.below(6));
    };
    std::vector<Node> nodes;
    for (int i = 0; i < 4; ++i) nodes.push_back({"n" + std::to_string(i), draw()});
    const auto root = shape.given_root ? std::optional<std::string>("n0") : std::nullopt;
    IncrementalBroadcast broadcast(nodes, root, shape.ports);
    for (int change = 0; change < 40; ++change) {
        const auto before = transfers_of(broadcast);
        IncrementalBroadcast::Change told;
        if (nodes.size() < 3 || random.below(5) < 3) {
            nodes.push_back({"new" + std::to_string(change), draw()});
            told = broadcast.join(nodes.back());
        } else {
            const std::size_t who = 1 + random.below(nodes.size() - 1);
            told = broadcast.leave(nodes[who].name);
            nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(who));
        }
        const auto after = transfers_of(broadcast);
        ASSERT_EQ(after, transfers_of(IncrementalBroadcast(nodes, root, shape.ports)));
        do_their_job(broadcast, shape.ports,
                     shape.given_root ? std::optional(nodes[0].time) : std::nullopt);

        auto rebuilt = before;
        for (const Transfer& gone : told.gone) {
            ASSERT_EQ(rebuilt.at(gone.to), gone);
            rebuilt.erase(gone.to);
        }
        for (const Transfer& added : told.added)
            ASSERT_TRUE(rebuilt.emplace(added.to, added).second);
        ASSERT_EQ(rebuilt, after);
    }
}

TEST(IncrementalBroadcast, is_what_the_same_nodes_get_from_scratch) {
    Random random(1);
    for (const std::size_t ports : {1U, 2U, 3U})
        for (const bool given_root : {true, false})
            for (const bool real : {true, false})
                for (int trial = 0; trial < 5; ++trial)
                    follow_joins_and_leaves(random, {ports, given_root, real});
}

TEST(IncrementalBroadcast, keeps_all_before_the_place_of_who_joins_or_leaves) {
    IncrementalBroadcast broadcast({{"a", 1}, {"b", 2}, {"c", 2}, {"d", 5}});
    const auto joined = broadcast.join({"e", 2});
    EXPECT_EQ(joined.kept, 3U);
    EXPECT_EQ(broadcast.sequence()[3].name, "e");
    const auto left = broadcast.leave("d");
    EXPECT_EQ(left.kept, 4U);
    EXPECT_THAT(left.gone, ::testing::ElementsAre(Transfer{"b", "d", 3}));
    EXPECT_TRUE(left.added.empty());
}

TEST(IncrementalBroadcast, begins_anew_with_a_faster_root) {
    IncrementalBroadcast broadcast({{"a", 2}, {"b", 3}});
    const auto change = broadcast.join({"c", 1});
    EXPECT_EQ(change.kept, 0U);
    EXPECT_EQ(broadcast.sequence()[0].name, "c");
    EXPECT_EQ(broadcast.leave("c").kept, 0U);
    EXPECT_EQ(broadcast.sequence()[0].name, "a");
}

TEST(IncrementalBroadcast, rejects_what_makes_no_sense_and_stays_as_it_is) {
    EXPECT_THROW(IncrementalBroadcast({}), InputError);
    EXPECT_THROW(IncrementalBroadcast({{"a", 1}, {"a", 2}}), InputError);
    EXPECT_THROW(IncrementalBroadcast({{"a", 1}}, "b"), InputError);
    EXPECT_THROW(IncrementalBroadcast({{"a", 1}}, {}, 0), InputError);
    IncrementalBroadcast broadcast({{"a", 1}, {"b", 2}}, "b");
    EXPECT_THROW(broadcast.join({"c", 0}), InputError);
    EXPECT_THROW(broadcast.join({"a", 4}), InputError);
    EXPECT_THROW(broadcast.leave("b"), InputError);
    EXPECT_THROW(broadcast.leave("x"), InputError);
    EXPECT_EQ(broadcast.size(), 2U);
    EXPECT_EQ(broadcast.makespan(), 2);
    EXPECT_EQ(broadcast.leave("a").gone.size(), 1U);
    EXPECT_THROW(broadcast.leave("b"), InputError);
}

}  // namespace
}  // namespace espalier::plan::node
