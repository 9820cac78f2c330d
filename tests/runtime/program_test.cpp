#include "runtime/logic/program.hpp"

#include "core/random.hpp"
#include "network/generate.hpp"
#include "schedule/validate.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <numeric>

namespace espalier::runtime {
namespace {

using schedule::Schedule;
using schedule::Transfer;

/// Ranks that do their programs in any order that their messages allow. Messages of a pair queue,
/// and bytes are copied when they are sent: an MPI in little.
class Machine {
public:
    Machine(const RankPlan& plan, Bytes bytes, std::uint64_t seed) : random_(seed) {
        const auto& collective = plan.schedule.collective;
        for (std::size_t rank = 0; rank < collective.nodes; ++rank) {
            ranks_.push_back({compile(plan, rank, bytes), std::vector<int>(bytes.value, -1)});
            ranks_.back().received.resize(ranks_.back().program.receives.size());
        }
        auto& root = ranks_[collective.root].memory;
        std::iota(root.begin(), root.end(), 0);
    }

    /// Whether all programs came to their end with the root's bytes everywhere.
    testing::AssertionResult run() {
        for (bool moved = true; moved;) {
            moved = false;
            const std::size_t first = random_.below(ranks_.size());
            for (std::size_t i = 0; i < ranks_.size(); ++i)
                moved = step((first + i) % ranks_.size()) || moved;
        }
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            if (auto result = finished(rank); !result) return result;
        return testing::AssertionSuccess();
    }

private:
    struct Rank {
        Program program;
        std::vector<int> memory;
        std::vector<char> received{};
        std::size_t sent = 0;
    };
    struct Packet {
        std::vector<int> bytes;
        std::uint64_t size = 0;
    };

    bool step(std::size_t index) { return receive_one(index) || send_one(index); }

    bool receive_one(std::size_t index) {
        Rank& rank = ranks_[index];
        std::map<int, bool> blocked;
        for (std::size_t r = 0; r < rank.program.receives.size(); ++r) {
            const auto& receive = rank.program.receives[r];
            if (rank.received[r] || blocked[receive.source]) continue;
            blocked[receive.source] = true;  // later ones match later
            auto& queue = wires_[{static_cast<std::size_t>(receive.source), index}];
            if (queue.empty()) continue;
            EXPECT_EQ(queue.front().size, receive.part.bytes);
            if (receive.part.buffer == Program::Buffer::output)
                std::copy(queue.front().bytes.begin(), queue.front().bytes.end(),
                          rank.memory.begin() + static_cast<std::ptrdiff_t>(receive.part.offset));
            queue.pop_front();
            rank.received[r] = 1;
            return true;
        }
        return false;
    }

    bool send_one(std::size_t index) {
        Rank& rank = ranks_[index];
        if (rank.sent == rank.program.sends.size()) return false;
        const auto& send = rank.program.sends[rank.sent];
        for (std::size_t n = send.first_need; n < send.last_need; ++n)
            if (!rank.received[rank.program.needs[n]]) return false;
        Packet packet{{}, send.part.bytes};
        if (send.part.buffer == Program::Buffer::output) {
            const auto begin = rank.memory.begin() + static_cast<std::ptrdiff_t>(send.part.offset);
            packet.bytes.assign(begin, begin + static_cast<std::ptrdiff_t>(send.part.bytes));
        }
        wires_[{index, static_cast<std::size_t>(send.destination)}].push_back(std::move(packet));
        ++rank.sent;
        return true;
    }

    testing::AssertionResult finished(std::size_t index) const {
        const Rank& rank = ranks_[index];
        if (rank.sent != rank.program.sends.size())
            return testing::AssertionFailure() << "rank " << index << " waits to send";
        for (const char received : rank.received)
            if (!received) return testing::AssertionFailure() << "rank " << index << " waits";
        for (std::size_t i = 0; i < rank.memory.size(); ++i)
            if (rank.memory[i] != static_cast<int>(i))
                return testing::AssertionFailure() << "rank " << index << ", byte " << i;
        return testing::AssertionSuccess();
    }

    std::vector<Rank> ranks_;
    std::map<std::pair<std::size_t, std::size_t>, std::deque<Packet>> wires_;
    Random random_;
};

RankPlan with_costs(Schedule schedule) {
    RankPlan plan;
    plan.costs.resize(schedule.transfers.size());
    plan.schedule = std::move(schedule);
    return plan;
}

Schedule broadcast(std::size_t nodes, std::uint64_t bytes, std::vector<schedule::Chunk> chunks,
                   std::vector<Transfer> transfers) {
    Schedule schedule;
    schedule.collective.nodes = nodes;
    schedule.collective.bytes = Bytes(bytes);
    schedule.nodes.resize(nodes);
    schedule.chunks = std::move(chunks);
    schedule.transfers = std::move(transfers);
    return schedule;
}

TEST(Program, sends_segment_by_segment_to_all_children) {
    const auto plan = with_costs(
        broadcast(3, 10, {{Bytes(10), 3}}, {{.from = 0, .to = 1}, {.from = 0, .to = 2}}));
    const Program program = compile(plan, 0, Bytes(10));
    std::vector<int> destinations;
    std::vector<std::uint64_t> offsets;
    for (const auto& send : program.sends) {
        destinations.push_back(send.destination);
        offsets.push_back(send.part.offset);
    }
    EXPECT_THAT(destinations, testing::ElementsAre(1, 2, 1, 2, 1, 2));
    EXPECT_THAT(offsets, testing::ElementsAre(0, 0, 4, 4, 8, 8));
    EXPECT_EQ(program.sends.back().part.bytes, 2u);
    EXPECT_TRUE(program.receives.empty());
}

TEST(Program, forwards_a_segment_when_what_it_covers_is_there) {
    // Two segments come in, four go out: the first two of them need only the first.
    const auto plan = with_costs(broadcast(
        3, 8, {{Bytes(8), 4}}, {{.from = 0, .to = 1, .segments = 2}, {.from = 1, .to = 2}}));
    const Program program = compile(plan, 1, Bytes(8));
    EXPECT_THAT(program.needs, testing::ElementsAre(0, 0, 1, 1));
    EXPECT_TRUE(Machine(plan, Bytes(8), 1).run());
}

TEST(Program, waits_for_an_answer_and_keeps_control_messages_out_of_the_data) {
    const auto plan =
        with_costs(broadcast(2, 5, {{Bytes(5)}, {.bytes = Bytes(1), .control = true}},
                             {{.from = 1, .to = 0, .chunk = 1}, {.from = 0, .to = 1, .after = 0}}));
    const Program program = compile(plan, 0, Bytes(5));
    ASSERT_EQ(program.sends.size(), 1u);
    EXPECT_EQ(program.sends[0].last_need - program.sends[0].first_need, 1u);
    EXPECT_EQ(program.scratch_bytes, 1u);
    EXPECT_TRUE(Machine(plan, Bytes(5), 1).run());
}

TEST(Program, carries_several_chunks_as_one_message) {
    // Halves are scattered over 1 and 2, which swap them.
    const auto plan = with_costs(broadcast(4, 9, {{Bytes(3)}, {Bytes(3)}, {Bytes(3)}},
                                           {{.from = 0, .to = 1, .chunk = 0, .chunks = 2},
                                            {.from = 0, .to = 2, .chunk = 2},
                                            {.from = 1, .to = 2, .chunk = 0, .chunks = 2},
                                            {.from = 2, .to = 1, .chunk = 2},
                                            {.from = 2, .to = 3, .chunk = 0, .chunks = 3}}));
    ASSERT_EQ(schedule::find_violation(plan.schedule), std::nullopt);
    EXPECT_TRUE(Machine(plan, Bytes(9), 1).run());
}

TEST(Program, does_not_wait_for_what_comes_back_later) {
    const auto plan = with_costs(broadcast(
        3, 6, {{Bytes(6)}}, {{.from = 0, .to = 1}, {.from = 1, .to = 2}, {.from = 2, .to = 1}}));
    EXPECT_TRUE(Machine(plan, Bytes(6), 1).run());
}

TEST(Program, of_random_trees_brings_everything_everywhere) {
    Random random(7);
    for (int round = 0; round < 300; ++round) {
        const std::size_t nodes = 1 + random.below(12);
        const std::uint64_t bytes = 1 + random.below(500);
        std::vector<Transfer> transfers;
        for (std::size_t node = 1; node < nodes; ++node) {
            Transfer transfer{.from = random.below(node), .to = node};
            if (random.below(3) == 0) transfer.segments = 1 + random.below(6);
            transfers.push_back(transfer);
        }
        const auto plan = with_costs(
            broadcast(nodes, bytes, {{Bytes(bytes), 1 + random.below(9)}}, std::move(transfers)));
        const Bytes fitted(1 + random.below(500));
        ASSERT_TRUE(Machine(plan, Bytes(bytes), random.below(1000)).run());
        ASSERT_TRUE(Machine(plan, fitted, random.below(1000)).run());
    }
}

TEST(Program, of_every_planned_broadcast_brings_everything_everywhere) {
    Random random(11);
    for (int round = 0; round < 12; ++round) {
        network::RandomGridOptions options;
        options.clusters = 1 + random.below(5);
        options.nodes_per_cluster = 1 + random.below(4);
        auto grid = network::random_grid(options, random);
        for (auto& cluster : grid.clusters)
            cluster.inside =
                network::Cluster::Local{{network::CostTable(Seconds(5e-5)),
                                         network::CostTable({{Bytes(1), Seconds(1e-6)},
                                                             {Bytes(1'000'000), Seconds(0.01)}})}};
        const network::GridView view(grid);
        const auto job = plan::Job::everywhere(view);
        for (const std::uint64_t bytes : {1u, 1000u, 30'000u}) {
            const auto plan = plan_job(view, job.places, random.below(job.places.size()),
                                       Bytes(bytes), {}, round % 2 == 0);
            ASSERT_EQ(plan.refusal, "");
            ASSERT_TRUE(Machine(plan, Bytes(bytes), random.below(1000)).run());
        }
    }
}

}  // namespace
}  // namespace espalier::runtime
