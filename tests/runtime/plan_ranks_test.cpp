#include "runtime/logic/planned_collective.hpp"

#include "core/random.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/logic/size_class.hpp"
#include "runtime/rank_machine.hpp"
#include "runtime/two_clusters.hpp"
#include "simulate/rank_fabric.hpp"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <tuple>

namespace espalier::runtime {
namespace {

using schedule::Kind;
using stated::latency;
using stated::link_capacity;
using stated::seconds_per_byte;
using stated::Shares;
using stated::TwoClusters;
using testing::HasSubstr;

std::multiset<int> peers_of(const std::vector<RankProgram::Send>& sends) {
    std::multiset<int> peers;
    for (const auto& send : sends) peers.insert(send.message.peer);
    return peers;
}

void expect_everybody_meets_everybody(const Shares& shares) {
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        ASSERT_EQ(shares[rank].refusal, "");
        const RankProgram& program = shares[rank].program;
        std::multiset<int> others;
        for (std::size_t other = 0; other < shares.size(); ++other)
            if (other != rank) others.insert(static_cast<int>(other));
        EXPECT_EQ(peers_of(program.sends), others);
        std::multiset<int> senders;
        for (const auto& receive : program.receives) senders.insert(receive.message.peer);
        EXPECT_EQ(senders, others);
        EXPECT_EQ(program.barriers.size(), shares.front().program.barriers.size());
    }
}

TEST(PlanRanks, of_an_exchange_take_as_long_as_what_crosses_the_shared_link) {
    TwoClusters clusters(4);
    const auto shares = clusters.exchange(Matrix<Bytes>(8, 8, Bytes(1000)));
    expect_everybody_meets_everybody(shares);
    const double crossing = 2 * 4 * 4 * 1000 / link_capacity + latency;
    ASSERT_TRUE(shares.front().predicted);
    EXPECT_GE(shares.front().predicted->value, crossing * (1 - 1e-9));
    EXPECT_LE(shares.front().predicted->value, crossing * 1.05);
    EXPECT_EQ(shares.front().staging_bytes, 0u);
}

TEST(PlanRanks, of_an_exchange_have_every_pair_whatever_it_was_planned_for) {
    TwoClusters clusters(4);
    Random random(5);
    for (int round = 0; round < 10; ++round) {
        Matrix<Bytes> sizes(8, 8);
        for (std::size_t from = 0; from < 8; ++from)
            for (std::size_t to = 0; to < 8; ++to)
                if (random.below(3) > 0) sizes(from, to) = Bytes(random.below(5000));
        for (const char* name : {"auto", "caterpillar", "caterpillar-barrier", "open-shop"})
            expect_everybody_meets_everybody(clusters.exchange(sizes, {.name = name}));
    }
}

TEST(PlanRanks, follow_a_named_exchange_one_message_at_a_time) {
    TwoClusters clusters(3);
    const auto shares = clusters.plan(Kind::alltoall, 1000, {.name = "caterpillar-barrier"});
    EXPECT_EQ(shares.front().algorithm, "caterpillar-barrier");
    const RankProgram& program = shares[2].program;
    EXPECT_EQ(program.ports, 1u);
    EXPECT_EQ(program.window, 1u);
    ASSERT_EQ(program.barriers.size(), 4u);
    for (std::size_t step = 0; step < 4; ++step) {
        EXPECT_EQ(program.barriers[step].sends, step + 1);
        EXPECT_EQ(program.barriers[step].receives, step + 1);
        EXPECT_EQ(program.sends[step].message.peer, static_cast<int>((2 + step + 1) % 6));
    }
    const auto ports = [&](const AlgorithmChoice& choice) {
        return clusters.plan(Kind::alltoall, 1000, choice).front().program.ports;
    };
    EXPECT_EQ(ports({.name = "open-shop", .ports = 2}), 2u);
    EXPECT_EQ(ports({.name = "auto", .ports = 99}), 5u);
}

TEST(PlanRanks, of_very_many_messages_are_not_simulated) {
    TwoClusters many(250);
    const auto shares = many.plan(Kind::alltoall, 1000, {.name = "caterpillar"});
    expect_everybody_meets_everybody(shares);
    EXPECT_FALSE(shares.front().predicted);
    EXPECT_NEAR(shares.front().bound.value, 2 * 250 * 250 * 1000 / link_capacity + latency, 1e-6);
    // Among all algorithms there is one that sends fewer.
    const auto best = many.plan(Kind::alltoall, 1000);
    ASSERT_TRUE(best.front().predicted);
    EXPECT_GE(*best.front().predicted, best.front().bound);
}

TEST(PlanRanks, of_a_named_ring_of_many_ranks_are_within_their_bound) {
    TwoClusters clusters(70);
    const auto shares = clusters.plan(Kind::allgather, 100'000, {.name = "ring"});
    ASSERT_EQ(shares.front().refusal, "");
    ASSERT_TRUE(shares.front().predicted);
    EXPECT_GE(*shares.front().predicted, shares.front().bound);
    EXPECT_EQ(shares.front().program.sends.size(), 139u);
    EXPECT_EQ(shares.front().program.window, 4u);
    EXPECT_GT(shares.front().bound, Seconds(0));
}

TEST(PlanRanks, say_why_there_are_none) {
    TwoClusters clusters(2);
    for (const auto& share : clusters.plan(Kind::alltoall, 1000, {.name = "native"})) {
        EXPECT_TRUE(share.is_native());
        EXPECT_THAT(share.refusal, HasSubstr("ESPALIER_ALGORITHM"));
    }
    EXPECT_THAT(clusters.plan(Kind::alltoall, 1, {.name = "nonsense"}).front().refusal,
                HasSubstr("nonsense"));
    EXPECT_THAT(clusters.plan(Kind::allgather, 1, {.name = "open-shop"}).front().refusal,
                HasSubstr("open-shop"));
}

TEST(PlanRanks, keep_the_order_of_operands_of_blocks_of_any_size) {
    TwoClusters clusters(2);
    for (const Bytes largest : {Bytes(1000), Bytes(1024), Bytes(9)}) {
        const Signature signature{.kind = Kind::reduce_scatter,
                                  .bytes = size_class(largest),
                                  .ordered = true,
                                  .uneven = true};
        const auto blocks = std::make_shared<const std::vector<Bytes>>(
            std::vector{Bytes(3), Bytes(0), largest, Bytes(1)});
        clusters.policy().planning = Settings::Planning::always;
        const Shares shares = clusters.plan(signature, {blocks, nullptr});
        EXPECT_FALSE(shares.front().is_native()) << shares.front().refusal;
    }
}

TEST(PlanRanks, of_blocks_for_all_are_not_made_for_very_many_ranks) {
    TwoClusters clusters(most_ranks_of_blocks / 2 + 1);
    const Shares shares = clusters.plan(Kind::alltoall, 8);
    EXPECT_EQ(shares.size(), most_ranks_of_blocks + 2);
    EXPECT_THAT(shares.back().refusal, HasSubstr("more than 1024 ranks"));
}

TEST(PlanRanks, stay_within_the_memory_that_there_is) {
    TwoClusters clusters(4, true, false, "1e-3");
    clusters.policy().planning = Settings::Planning::always;
    const Signature small{.kind = Kind::gather, .bytes = Bytes(10)};
    const auto relayed = clusters.plan(small);
    ASSERT_EQ(relayed.front().refusal, "");
    ASSERT_GT(relayed.front().staging_bytes, 0u) << "small blocks travel together";
    clusters.policy().memory = Bytes(relayed.front().staging_bytes);
    EXPECT_EQ(clusters.plan(small).front().staging_bytes, relayed.front().staging_bytes);
    clusters.policy().memory = Bytes(relayed.front().staging_bytes - 1);
    const auto direct = clusters.plan(small);
    ASSERT_EQ(direct.front().refusal, "");
    EXPECT_EQ(direct.front().staging_bytes, 0u);
    clusters.policy().memory = Bytes(10);
    EXPECT_THAT(clusters.plan({.kind = Kind::reduce, .bytes = Bytes(1000)}).front().refusal,
                HasSubstr("ESPALIER_MEMORY (10 B)"));
}

TEST(PlanRanks, count_what_ranks_stage) {
    RankProgram program;
    program.chunks = {{0, 0, 0, 1, 2}, {0, 0, 1, 2, 2}};
    program.receives.push_back({.message = {.peer = 1, .chunk = 0}, .op = schedule::Op::combine});
    const auto staged = [&](Kind kind, std::size_t rank) {
        return staging_bytes(program, rank, {.kind = kind, .root = 1, .bytes = Bytes(100)}, {});
    };
    EXPECT_EQ(staged(Kind::reduce, 0), 50u + 50u) << "the sum, and what arrives";
    EXPECT_EQ(staged(Kind::reduce, 1), 50u) << "the root sums where the result goes";
    EXPECT_EQ(staged(Kind::allreduce, 0), 50u);
    program.receives.front().op = schedule::Op::copy;
    EXPECT_EQ(staged(Kind::broadcast, 0), 0u);
    program.chunks = {{3, 0}, {2, 0}};
    EXPECT_EQ(staged(Kind::gather, 2), 100u) << "the block of 3";
    EXPECT_EQ(staged(Kind::gather, 1), 0u);
    const BlockSizes sizes{std::make_shared<const std::vector<Bytes>>(
                               std::vector<Bytes>{Bytes(1), Bytes(2), Bytes(3), Bytes(4)}),
                           nullptr};
    EXPECT_EQ(staging_bytes(program, 0, {.kind = Kind::gather, .root = 1}, sizes), 7u);
    program.chunks = {{3, 2}, {2, 0}, {0, 2}};
    EXPECT_EQ(staged(Kind::alltoall, 2), 0u);
    EXPECT_EQ(staged(Kind::alltoall, 0), 100u);
}

TEST(PlanRanks, come_out_of_their_bytes_as_they_went_in) {
    TwoClusters clusters(3, true);
    clusters.policy().planning = Settings::Planning::always;
    for (const Kind kind : {Kind::broadcast, Kind::allreduce, Kind::alltoall, Kind::barrier})
        for (PlannedCollective share :
             clusters.plan({.kind = kind, .bytes = Bytes(kind == Kind::barrier ? 0 : 50'000)})) {
            share.others.assign(2, share);
            share.others.back().algorithm = "another";
            const auto bytes = encode(share);
            const PlannedCollective again = decode_planned(bytes);
            EXPECT_EQ(encode(again), bytes);
            EXPECT_EQ(again.algorithm, share.algorithm);
            ASSERT_EQ(again.others.size(), 2U);
            EXPECT_EQ(again.others.back().algorithm, "another");
            EXPECT_EQ(encode(again.others.front()), encode(share.others.front()));
            EXPECT_EQ(again.predicted, share.predicted);
            EXPECT_EQ(again.bound, share.bound);
            EXPECT_EQ(again.choice, share.choice);
            EXPECT_EQ(again.segments, share.segments);
            EXPECT_EQ(again.staging_bytes, share.staging_bytes);
            const auto fields = [](const RankProgram::Message& message) {
                return std::tuple(message.peer, message.chunk, message.chunks, message.segment,
                                  message.segments);
            };
            const RankProgram& a = again.program;
            const RankProgram& b = share.program;
            ASSERT_EQ(a.receives.size(), b.receives.size());
            for (std::size_t r = 0; r < a.receives.size(); ++r) {
                EXPECT_EQ(fields(a.receives[r].message), fields(b.receives[r].message));
                EXPECT_EQ(a.receives[r].op, b.receives[r].op);
                EXPECT_EQ(a.receives[r].from_left, b.receives[r].from_left);
                EXPECT_EQ(a.receives[r].last_need, b.receives[r].last_need);
                EXPECT_EQ(a.receives[r].last_earlier, b.receives[r].last_earlier);
            }
            ASSERT_EQ(a.sends.size(), b.sends.size());
            for (std::size_t s = 0; s < a.sends.size(); ++s) {
                EXPECT_EQ(fields(a.sends[s].message), fields(b.sends[s].message));
                EXPECT_EQ(a.sends[s].first_need, b.sends[s].first_need);
                EXPECT_EQ(a.sends[s].start, b.sends[s].start);
                EXPECT_EQ(a.sends[s].gap, b.sends[s].gap);
            }
            EXPECT_EQ(a.needs, b.needs);
            EXPECT_EQ(a.earlier, b.earlier);
            EXPECT_EQ(a.ports, b.ports);
            EXPECT_EQ(a.window, b.window);
            ASSERT_EQ(a.chunks.size(), b.chunks.size());
            for (std::size_t c = 0; c < a.chunks.size(); ++c) {
                EXPECT_EQ(a.chunks[c].source, b.chunks[c].source);
                EXPECT_EQ(a.chunks[c].target, b.chunks[c].target);
                EXPECT_EQ(a.chunks[c].end, b.chunks[c].end);
                EXPECT_EQ(a.chunks[c].of, b.chunks[c].of);
                EXPECT_EQ(a.chunks[c].empty, b.chunks[c].empty);
            }
        }
    PlannedCollective refused;
    refused.refusal = "because";
    EXPECT_EQ(decode_planned(encode(refused)).refusal, "because");
}

TEST(PlanRanks, bring_an_exchange_to_its_end_by_every_size_afterwards) {
    TwoClusters clusters(3, true);
    Matrix<Bytes> sizes(6, 6, Bytes(0));
    sizes(0, 5) = Bytes(3000);
    Random random(2);
    for (const char* name : {"auto", "greedy"}) {
        const auto shares = clusters.exchange(sizes, {.name = name});
        std::vector<RankProgram> programs;
        for (const auto& share : shares) programs.push_back(share.program);
        schedule::Collective collective{.kind = Kind::alltoall, .nodes = 6};
        test::Units units;
        for (const test::Item& item : test::items_of(collective)) units[item] = random.below(9);
        test::RankMachine machine(collective, programs, units, 4);
        EXPECT_TRUE(machine.run());
    }
}

/// Each rank with the next one, both ways, and rank 0 with one far away.
Matrix<char> ring_with_a_chord(std::size_t ranks) {
    Matrix<char> neighbours(ranks, ranks, 0);
    for (std::size_t rank = 0; rank < ranks; ++rank)
        neighbours(rank, (rank + 1) % ranks) = neighbours((rank + 1) % ranks, rank) = 1;
    neighbours(0, ranks / 2) = 1;
    return neighbours;
}

BlockSizes sizes_of(const Matrix<char>& neighbours, Bytes bytes) {
    Matrix<Bytes> pairs(neighbours.rows(), neighbours.columns());
    for (std::size_t from = 0; from < pairs.rows(); ++from)
        for (std::size_t to = 0; to < pairs.columns(); ++to)
            if (neighbours(from, to) != 0) pairs(from, to) = bytes;
    return {nullptr, std::make_shared<const Matrix<Bytes>>(pairs),
            std::make_shared<const Matrix<char>>(neighbours)};
}

TEST(PlanRanks, of_neighbours_have_each_pair_of_them_and_no_other) {
    TwoClusters clusters(4);
    clusters.policy().planning = Settings::Planning::always;
    const Matrix<char> neighbours = ring_with_a_chord(8);
    BlockSizes sizes = sizes_of(neighbours, Bytes(0));
    Matrix<Bytes> some(8, 8);
    some(0, 4) = some(3, 2) = Bytes(500);
    sizes.of_pairs = std::make_shared<const Matrix<Bytes>>(some);
    const auto shares = clusters.plan({.kind = Kind::alltoall,
                                       .bytes = Bytes(512),
                                       .direct = true,
                                       .uneven = true,
                                       .among_neighbours = true},
                                      sizes);
    for (std::size_t from = 0; from < shares.size(); ++from) {
        ASSERT_EQ(shares[from].refusal, "");
        std::multiset<int> targets;
        for (std::size_t to = 0; to < shares.size(); ++to)
            if (neighbours(from, to) != 0) targets.insert(static_cast<int>(to));
        EXPECT_EQ(peers_of(shares[from].program.sends), targets);
    }
}

TEST(PlanRanks, of_neighbours_travel_together_between_clusters) {
    TwoClusters clusters(5, true, true);
    const Matrix<char> neighbours = ring_with_a_chord(10);
    const Signature signature{
        .kind = Kind::alltoall, .bytes = Bytes(1000), .among_neighbours = true};
    clusters.policy().choice.name = "levels";
    const auto shares = clusters.plan(signature, sizes_of(neighbours, Bytes(1000)));
    std::size_t relayed = 0;
    std::vector<RankProgram> programs;
    for (const auto& share : shares) {
        ASSERT_EQ(share.refusal, "");
        for (const auto& send : share.program.sends) relayed += send.message.chunks > 1 ? 1 : 0;
        programs.push_back(share.program);
    }
    EXPECT_GE(relayed, 2u);
    EXPECT_GT(shares.front().staging_bytes, 0u);
    schedule::Collective collective{.kind = Kind::alltoall, .nodes = 10};
    test::Units units;
    for (const test::Item& item : test::items_of(collective)) units[item] = 0;
    for (std::size_t from = 0; from < 10; ++from)
        for (std::size_t to = 0; to < 10; ++to)
            if (neighbours(from, to) != 0) units[test::Item{from, to}] = 7;
    test::RankMachine machine(collective, programs, units, 4);
    EXPECT_TRUE(machine.run());
}

TEST(PlanRanks, of_neighbours_are_compared_with_all_messages_at_once) {
    TwoClusters clusters(2);
    const auto fabric = simulate::make_rank_fabric(clusters.view(), clusters.places());
    Matrix<char> one(4, 4, 0);
    one(0, 3) = 1;
    const Signature signature{
        .kind = Kind::alltoall, .bytes = Bytes(1000), .among_neighbours = true};
    EXPECT_NEAR(library_time(*fabric, signature, sizes_of(one, Bytes(1000))).value,
                latency + 1000 * seconds_per_byte, 1e-5);
}

TEST(PlanRanks, long_messages_of_a_library_wait_for_their_receivers) {
    TwoClusters clusters(1);
    const auto own = [&](Bytes eager) {
        const Policy policy{.planning = Settings::Planning::automatic, .eager = eager};
        const Signature signature{.kind = Kind::scatter, .bytes = Bytes(1000)};
        return plan_ranks(clusters.view(), clusters.places(), signature, {}, policy).library.value;
    };
    EXPECT_GT(own(Bytes(1000)), latency);
    EXPECT_GT(own(Bytes(999)), own(Bytes(1000)) + 2 * latency);
}

}  // namespace
}  // namespace espalier::runtime
