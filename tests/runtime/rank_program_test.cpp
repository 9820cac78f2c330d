#include "runtime/logic/rank_program.hpp"

#include "core/error.hpp"
#include "core/random.hpp"
#include "network/generate.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_plan.hpp"
#include "runtime/logic/stall.hpp"
#include "runtime/rank_machine.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace espalier::runtime {
namespace {

using schedule::Kind;
using schedule::Op;
using schedule::Schedule;
using schedule::Transfer;
using test::RankMachine;
using testing::ElementsAre;
using testing::IsEmpty;

/// What messages cost does not matter.
class Free final : public simulate::Fabric {
public:
    explicit Free(std::size_t nodes) : nodes_(nodes) {}
    [[nodiscard]] std::size_t nodes() const override { return nodes_; }
    [[nodiscard]] simulate::MessageCost cost(std::size_t, std::size_t, Bytes size) const override {
        return {Seconds(static_cast<double>(size.value)), Seconds(1)};
    }
    [[nodiscard]] simulate::CostFloor floor(std::size_t, std::size_t, Bytes) const override {
        return {};
    }

private:
    std::size_t nodes_;
};

Schedule hand_made(Kind kind, std::size_t nodes, std::uint64_t bytes,
                   std::vector<schedule::Chunk> chunks, std::vector<Transfer> transfers) {
    Schedule schedule;
    schedule.collective.kind = kind;
    schedule.collective.nodes = nodes;
    schedule.collective.bytes = Bytes(bytes);
    schedule.nodes.resize(nodes);
    schedule.chunks = std::move(chunks);
    schedule.transfers = std::move(transfers);
    return schedule;
}

std::vector<RankProgram> compiled(const Schedule& schedule) {
    return compile_ranks(schedule, Free(schedule.collective.nodes));
}

testing::AssertionResult runs(const Schedule& schedule, std::uint64_t seed) {
    if (const auto fault = schedule::find_violation(schedule))
        return testing::AssertionFailure() << fault->what;
    Random random(seed);
    const auto programs = compiled(schedule);
    // As many units everywhere, then of all sizes; none at all, too.
    for (const std::uint64_t most : {1u, 7u, 50u}) {
        test::Units same;
        test::Units different;
        const std::uint64_t all = random.below(most + 1);
        for (const test::Item& item : test::items_of(schedule.collective)) {
            same[item] = all;
            different[item] = random.below(most + 1);
        }
        for (const test::Units& units : {same, different}) {
            RankMachine machine(schedule.collective, programs, units, random.below(1 << 30));
            if (auto result = machine.run(); !result) return result << ", " << schedule.algorithm;
        }
    }
    return testing::AssertionSuccess();
}

std::vector<std::size_t> needs_of(const RankProgram& program, std::size_t send) {
    const auto& its = program.sends[send];
    return {program.needs.begin() + static_cast<std::ptrdiff_t>(its.first_need),
            program.needs.begin() + static_cast<std::ptrdiff_t>(its.last_need)};
}

TEST(RankProgram, sends_segment_by_segment_to_all_children) {
    const auto schedule = hand_made(Kind::broadcast, 3, 10, {{Bytes(10), 3}},
                                    {{.from = 0, .to = 1}, {.from = 0, .to = 2}});
    const RankProgram program = compiled(schedule)[0];
    std::vector<int> peers;
    std::vector<std::uint64_t> firsts;
    for (const auto& send : program.sends) {
        peers.push_back(send.message.peer);
        firsts.push_back(program.run_of(send.message, 10).first);
    }
    EXPECT_THAT(peers, ElementsAre(1, 2, 1, 2, 1, 2));
    EXPECT_THAT(firsts, ElementsAre(0, 0, 3, 3, 6, 6));
    EXPECT_EQ(program.run_of(program.sends.back().message, 10).units, 4u);
    EXPECT_EQ(program.window, 8u) << "four for each of two receivers";
    EXPECT_FALSE(program.sends[0].whole);
    EXPECT_EQ(program.sends[0].cost.gap, Seconds(4)) << "as planned, of its segment";
}

TEST(RankProgram, forwards_a_segment_when_what_it_covers_is_there) {
    const auto schedule = hand_made(Kind::broadcast, 3, 8, {{Bytes(8), 4}},
                                    {{.from = 0, .to = 1, .segments = 2}, {.from = 1, .to = 2}});
    const RankProgram program = compiled(schedule)[1];
    for (std::size_t send = 0; send < 4; ++send)
        EXPECT_THAT(needs_of(program, send), ElementsAre(send / 2));
    EXPECT_TRUE(runs(schedule, 1));
}

/// Of each message: its peer, its first chunk, how many, its segment, of how many.
std::vector<std::array<std::size_t, 5>> sent(const RankProgram& program) {
    std::vector<std::array<std::size_t, 5>> all;
    for (const auto& [message, first, last, cost, whole] : program.sends)
        all.push_back({static_cast<std::size_t>(message.peer), message.chunk, message.chunks,
                       message.segment, message.segments});
    return all;
}

TEST(RankProgram, cuts_segments_that_would_wait_for_an_answer) {
    const auto schedule = hand_made(Kind::broadcast, 3, 20, {{Bytes(20), 2}},
                                    {{.from = 0, .to = 1}, {.from = 1, .to = 2, .segments = 1}});
    const Free fabric(3);
    using Message = std::array<std::size_t, 5>;
    const auto cut = compile_ranks(schedule, fabric, Bytes(5));
    EXPECT_THAT(sent(cut[0]), ElementsAre(Message{1, 0, 1, 0, 4}, Message{1, 0, 1, 1, 4},
                                          Message{1, 0, 1, 2, 4}, Message{1, 0, 1, 3, 4}));
    EXPECT_EQ(cut[0].sends[3].cost.gap, Seconds(5));
    // Four pieces take three seconds more, their answer's round trip is of two.
    EXPECT_THAT(sent(cut[1]), ElementsAre(Message{2, 0, 1, 0, 1}));
    EXPECT_THAT(needs_of(cut[1], 0), ElementsAre(0, 1, 2, 3));
    EXPECT_EQ(compile_ranks(schedule, fabric, Bytes(10))[0].sends.size(), 2u);
    EXPECT_EQ(compiled(schedule)[0].sends.size(), 2u);
}

TEST(RankProgram, has_enough_under_way_to_hide_an_answer) {
    const auto schedule =
        hand_made(Kind::broadcast, 2, 40, {{Bytes(40), 40}}, {{.from = 0, .to = 1}});
    /// A second for each byte, and a quarter of a minute on the way.
    class Far final : public simulate::Fabric {
    public:
        [[nodiscard]] std::size_t nodes() const override { return 2; }
        [[nodiscard]] simulate::MessageCost cost(std::size_t, std::size_t,
                                                 Bytes size) const override {
            return {Seconds(static_cast<double>(size.value)), Seconds(15)};
        }
        [[nodiscard]] simulate::CostFloor floor(std::size_t, std::size_t, Bytes) const override {
            return {};
        }
    };
    EXPECT_EQ(compile_ranks(schedule, Far(), Bytes(1))[0].window, 4u);
    EXPECT_EQ(compile_ranks(schedule, Far(), Bytes(0))[0].window, 31u);
}

TEST(RankProgram, sends_a_piece_on_as_soon_as_it_is_there) {
    const auto schedule = hand_made(Kind::broadcast, 3, 9, {{Bytes(9)}},
                                    {{.from = 0, .to = 1}, {.from = 1, .to = 2}});
    const auto cut = compile_ranks(schedule, Free(3), Bytes(5));
    ASSERT_EQ(cut[1].sends.size(), 2u);
    for (std::size_t piece : {0u, 1u}) EXPECT_THAT(needs_of(cut[1], piece), ElementsAre(piece));
}

TEST(RankProgram, cuts_blocks_that_travel_together_between_them) {
    std::vector<schedule::Chunk> blocks;
    for (const std::size_t bytes : {3u, 2u, 8u, 1u})
        blocks.push_back({.bytes = Bytes(bytes), .source = blocks.size()});
    auto schedule = hand_made(Kind::gather, 4, 8, blocks,
                              {{.from = 1, .to = 2, .chunk = 1},
                               {.from = 3, .to = 2, .chunk = 3},
                               {.from = 2, .to = 0, .chunk = 1, .chunks = 3}});
    const auto cut = compile_ranks(schedule, Free(4), Bytes(6));
    using Message = std::array<std::size_t, 5>;
    EXPECT_THAT(sent(cut[2]), ElementsAre(Message{0, 0, 1, 0, 1}, Message{0, 1, 1, 0, 2},
                                          Message{0, 1, 1, 1, 2}, Message{0, 2, 1, 0, 1}));
    // The first waits for the first block alone, the last for the last.
    EXPECT_THAT(needs_of(cut[2], 0), ElementsAre(0));
    EXPECT_THAT(needs_of(cut[2], 1), IsEmpty());
    EXPECT_THAT(needs_of(cut[2], 3), ElementsAre(1));
    EXPECT_EQ(cut[2].sends[1].cost.gap, Seconds(4));
}

TEST(RankProgram, waits_for_an_answer) {
    const auto schedule =
        hand_made(Kind::broadcast, 2, 5, {{Bytes(5)}, {.bytes = Bytes(1), .control = true}},
                  {{.from = 1, .to = 0, .chunk = 1}, {.from = 0, .to = 1, .after = 0}});
    const RankProgram program = compiled(schedule)[0];
    ASSERT_EQ(program.sends.size(), 1u);
    EXPECT_THAT(needs_of(program, 0), ElementsAre(0));
    EXPECT_TRUE(program.chunks[program.receives[0].message.chunk].empty);
    EXPECT_FALSE(program.chunks[program.sends[0].message.chunk].empty);
    EXPECT_TRUE(runs(schedule, 2));
}

TEST(RankProgram, tells_which_share_of_its_item_a_chunk_is) {
    const auto schedule = hand_made(Kind::broadcast, 2, 12, {{Bytes(2)}, {Bytes(4)}, {Bytes(6)}},
                                    {{.from = 0, .to = 1, .chunk = 1},
                                     {.from = 0, .to = 1, .chunk = 0},
                                     {.from = 0, .to = 1, .chunk = 2}});
    const RankProgram program = compiled(schedule)[0];
    EXPECT_EQ(program.chunks[1].first_unit(6), 1u);
    EXPECT_EQ(program.chunks[1].units(6), 2u);
    EXPECT_EQ(program.chunks[2].first_unit(7), 3u);
    EXPECT_EQ(program.chunks[2].units(7), 4u);
    // More units than 64 bits hold of their product with a share.
    EXPECT_EQ(program.chunks[2].first_unit(std::uint64_t{1} << 63), std::uint64_t{1} << 62);
    EXPECT_TRUE(runs(schedule, 3));
}

TEST(RankProgram, cuts_several_chunks_of_an_item_as_one_run) {
    const auto schedule = hand_made(Kind::broadcast, 3, 9, {{Bytes(2)}, {Bytes(4)}, {Bytes(3)}},
                                    {{.from = 0, .to = 1, .chunk = 0, .chunks = 3, .segments = 4},
                                     {.from = 1, .to = 2, .chunk = 2},
                                     {.from = 1, .to = 2, .chunk = 0, .chunks = 2}});
    const RankProgram program = compiled(schedule)[1];
    // Of nine shares 2.25 in each segment; the last chunk begins at 6.
    EXPECT_THAT(needs_of(program, 0), ElementsAre(2, 3));
    EXPECT_THAT(needs_of(program, 1), ElementsAre(0, 1, 2));
    for (std::uint64_t seed = 0; seed < 10; ++seed) EXPECT_TRUE(runs(schedule, seed));
}

TEST(RankProgram, does_not_cut_blocks_that_are_apart) {
    auto schedule = hand_made(Kind::gather, 2, 4,
                              {{.bytes = Bytes(4), .source = 1}, {.bytes = Bytes(4), .source = 0}},
                              {{.from = 1, .to = 0, .chunk = 0, .chunks = 2, .segments = 2}});
    EXPECT_THROW(static_cast<void>(compiled(schedule)), std::invalid_argument);
}

TEST(RankProgram, keeps_what_it_sends_until_it_has_left) {
    // 0 sends on what it has combined of 1, and gets the sum back.
    const auto schedule = hand_made(Kind::allreduce, 3, 4, {{Bytes(4), 2}},
                                    {{.from = 1, .to = 0, .op = Op::combine},
                                     {.from = 0, .to = 2, .op = Op::combine},
                                     {.from = 2, .to = 0},
                                     {.from = 0, .to = 1}});
    const RankProgram program = compiled(schedule)[0];
    ASSERT_EQ(program.receives.size(), 4u);
    for (std::size_t r = 0; r < 4; ++r) {
        const auto& receive = program.receives[r];
        const bool back = receive.op == Op::copy;
        ASSERT_EQ(receive.last_need - receive.first_need, back ? 1u : 0u);
        ASSERT_EQ(receive.last_earlier - receive.first_earlier, back ? 1u : 0u);
        if (!back) continue;
        const auto& send = program.sends[program.needs[receive.first_need]];
        EXPECT_EQ(send.message.peer, 2);
        EXPECT_EQ(send.message.segment, receive.message.segment);
        const auto& earlier = program.receives[program.earlier[receive.first_earlier]];
        EXPECT_EQ(earlier.op, Op::combine);
        EXPECT_EQ(earlier.message.segment, receive.message.segment);
    }
    for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_TRUE(runs(schedule, seed));
}

TEST(RankProgram, combines_in_the_listed_order_however_messages_are_cut) {
    // What comes whole from 2 goes on top of all segments from 1.
    auto schedule = hand_made(Kind::reduce, 3, 8, {{Bytes(8), 4}},
                              {{.from = 1, .to = 0, .op = Op::combine},
                               {.from = 2, .to = 0, .op = Op::combine, .segments = 1}});
    schedule.collective.ordered = true;
    const RankProgram program = compiled(schedule)[0];
    EXPECT_EQ(program.receives.back().message.peer, 2);
    EXPECT_EQ(program.receives.back().last_earlier - program.receives.back().first_earlier, 4u);
    for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_TRUE(runs(schedule, seed));
}

TEST(RankProgram, combines_from_the_left_what_lower_ranks_bring) {
    auto schedule = hand_made(
        Kind::reduce, 3, 1, {{Bytes(1)}},
        {{.from = 0, .to = 1, .op = Op::combine}, {.from = 2, .to = 1, .op = Op::combine}});
    schedule.collective.root = 1;
    schedule.collective.ordered = true;
    const RankProgram program = compiled(schedule)[1];
    EXPECT_TRUE(program.receives[0].from_left);
    EXPECT_FALSE(program.receives[1].from_left);
    EXPECT_TRUE(runs(schedule, 1));
    // Now 0 has the higher ones.
    schedule.transfers = {{.from = 2, .to = 0, .op = Op::combine}};
    schedule.chunks.push_back({Bytes(0)});
    EXPECT_FALSE(compiled(schedule)[0].receives[0].from_left);
}

TEST(RankProgram, refuses_chunks_of_one_message_from_different_sides) {
    auto schedule = hand_made(Kind::allreduce, 3, 2, {{Bytes(1)}, {Bytes(1)}},
                              {{.from = 0, .to = 1, .chunk = 0, .op = Op::combine, .chunks = 2}});
    schedule.collective.ordered = true;
    EXPECT_TRUE(compiled(schedule)[1].receives[0].from_left);
    schedule.transfers = {{.from = 0, .to = 1, .chunk = 1, .op = Op::combine},
                          {.from = 0, .to = 2, .chunk = 0, .op = Op::combine},
                          {.from = 2, .to = 1, .chunk = 0, .op = Op::copy},
                          {.from = 1, .to = 2, .chunk = 0, .op = Op::combine, .chunks = 2}};
    EXPECT_THROW(static_cast<void>(compiled(schedule)), std::invalid_argument);
}

TEST(RankProgram, refuses_what_a_rank_would_wait_for_itself_for) {
    // The first half of what goes out is needed for the whole that comes in, and that for its
    // second half, which was listed before.
    const auto schedule = hand_made(Kind::broadcast, 3, 8, {{Bytes(8), 2}},
                                    {{.from = 0, .to = 1},
                                     {.from = 1, .to = 2},
                                     {.from = 2, .to = 1, .segments = 1},
                                     {.from = 1, .to = 0}});
    EXPECT_THROW(static_cast<void>(compiled(schedule)), std::invalid_argument);
}

TEST(RankProgram, meets_where_its_steps_end) {
    auto schedule = hand_made(Kind::broadcast, 3, 1, {{Bytes(1)}},
                              {{.from = 0, .to = 1}, {.from = 0, .to = 2}});
    schedule.barriers = {1};
    const auto programs = compiled(schedule);
    EXPECT_EQ(programs[0].barriers[0].sends, 1u);
    EXPECT_EQ(programs[1].barriers[0].receives, 1u);
    EXPECT_EQ(programs[2].barriers[0].receives, 0u);
    EXPECT_TRUE(runs(schedule, 1));
}

TEST(RankProgram, of_random_trees_brings_everything_everywhere) {
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        const std::size_t nodes = 1 + random.below(12);
        const std::uint64_t bytes = random.below(500);
        std::vector<Transfer> transfers;
        for (std::size_t node = 1; node < nodes; ++node) {
            Transfer transfer{.from = random.below(node), .to = node};
            if (random.below(3) == 0) transfer.segments = 1 + random.below(6);
            transfers.push_back(transfer);
        }
        const auto schedule =
            hand_made(Kind::broadcast, nodes, bytes, {{Bytes(bytes), 1 + random.below(9)}},
                      std::move(transfers));
        ASSERT_TRUE(runs(schedule, random.below(1000)));
    }
}

/// Combines random neighbours until all is in one place, cut in any way, and spreads it from there.
Schedule random_all_reduce(Random& random) {
    const std::size_t nodes = 2 + random.below(9);
    std::vector<schedule::Chunk> chunks(1 + random.below(3));
    for (schedule::Chunk& chunk : chunks) chunk = {Bytes(random.below(40)), 1 + random.below(5)};
    std::vector<Transfer> transfers;
    const auto add = [&](Transfer transfer) {
        if (random.below(3) == 0) transfer.segments = 1 + random.below(6);
        transfers.push_back(transfer);
    };
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        std::vector<std::size_t> holders(nodes);
        std::iota(holders.begin(), holders.end(), 0);
        while (holders.size() > 1) {
            const std::size_t left = random.below(holders.size() - 1);
            std::size_t from = left;
            std::size_t to = left + 1;
            if (random.below(2) == 0) std::swap(from, to);
            add({.from = holders[from], .to = holders[to], .chunk = c, .op = Op::combine});
            holders.erase(holders.begin() + static_cast<std::ptrdiff_t>(from));
        }
        std::vector<std::size_t> have = holders;
        for (std::size_t node = 0; node < nodes; ++node) {
            if (node == holders.front()) continue;
            add({.from = have[random.below(have.size())], .to = node, .chunk = c});
            have.push_back(node);
        }
    }
    const auto bytes = std::accumulate(
        chunks.begin(), chunks.end(), std::uint64_t{0},
        [](std::uint64_t sum, const schedule::Chunk& chunk) { return sum + chunk.bytes.value; });
    auto schedule =
        hand_made(Kind::allreduce, nodes, bytes, std::move(chunks), std::move(transfers));
    schedule.collective.ordered = true;
    return schedule;
}

TEST(RankProgram, of_random_reductions_keeps_the_order_of_operands_on_every_rank) {
    Random random(19);
    int ran = 0;
    for (int round = 0; round < 900; ++round) {
        const Schedule schedule = random_all_reduce(random);
        try {
            static_cast<void>(simulate::simulate(schedule, Free(schedule.nodes.size())));
            if (would_stall(compiled(schedule))) continue;
        } catch (const InvalidError&) {
            continue;  // cut so that ranks would wait for each other,
        } catch (const std::invalid_argument&) {
            continue;  // or one for itself
        }
        ASSERT_TRUE(runs(schedule, random.below(1000)));
        ++ran;
    }
    EXPECT_GT(ran, 100);
}

/// Ranks at random places of a random grid, several on a host sometimes.
struct RandomJob {
    explicit RandomJob(Random& random) {
        network::RandomGridOptions options;
        options.clusters = 1 + random.below(4);
        options.nodes_per_cluster = 1 + random.below(4);
        grid = network::random_grid(options, random);
        for (auto& cluster : grid.clusters)
            cluster.inside =
                network::Cluster::Local{{network::CostTable(Seconds(5e-5)),
                                         network::CostTable({{Bytes(1), Seconds(1e-6)},
                                                             {Bytes(1'000'000), Seconds(0.01)}})}};
        view.emplace(grid);
        job = plan::Job::everywhere(*view);
        if (random.below(2) == 0)
            for (std::size_t i = random.below(4); i > 0; --i)
                job.places.push_back(job.places[random.below(job.places.size())]);
        if (random.below(2) == 0)
            for (std::size_t i = job.places.size() - 1; i > 0; --i)
                std::swap(job.places[i], job.places[random.below(i + 1)]);
    }
    network::GridNetwork grid;
    std::optional<network::GridView> view;
    plan::Job job;
};

plan::CollectiveRequest random_request(Kind kind, const RandomJob& job, Random& random) {
    const std::size_t ranks = job.job.places.size();
    plan::CollectiveRequest request;
    request.kind = kind;
    request.root = has_root(kind) ? random.below(ranks) : 0;
    request.bytes = kind == Kind::barrier ? Bytes(0) : Bytes(1 + random.below(60'000));
    request.ordered = combines(kind) && kind != Kind::barrier && random.below(2) == 0;
    request.segmenting.mode =
        random.below(2) == 0 ? plan::Segmenting::Mode::automatic : plan::Segmenting::Mode::none;
    request.limits = {Seconds(1), 100'000};
    if (random.below(2) == 0 && has_blocks(kind) && kind != Kind::alltoall) {
        std::vector<Bytes> blocks;
        for (std::size_t rank = 0; rank < ranks; ++rank)
            blocks.emplace_back(random.below(request.bytes.value));
        request.bytes = *std::ranges::max_element(blocks);
        request.blocks = std::make_shared<const std::vector<Bytes>>(std::move(blocks));
    }
    return request;
}

class EveryKind : public testing::TestWithParam<Kind> {};

TEST_P(EveryKind, does_what_its_collective_says_by_every_algorithm) {
    Random random(11);
    std::size_t ran = 0;
    for (int round = 0; round < 4; ++round) {
        const RandomJob job(random);
        if (job.job.places.size() < 2) continue;
        const auto fabric = simulate::make_rank_fabric(*job.view, job.job.places);
        for (const plan::Algorithm& algorithm : plan::algorithms()) {
            if (!plan::serves(algorithm, GetParam()) || algorithm.for_demands ||
                algorithm.family == plan::Family::sender || algorithm.name == "optimal")
                continue;
            auto request = random_request(GetParam(), job, random);
            request.algorithm = algorithm.name;
            schedule::Plan plan;
            try {
                plan = plan::plan_collective(job.job, request);
            } catch (const InputError&) {
                continue;  // it does not keep the order, or serves no job of one cluster
            }
            ASSERT_EQ(schedule::find_violation(plan.schedule), std::nullopt) << algorithm.name;
            // Messages that would wait for an answer are cut, or there are none such.
            const Bytes eager = random.below(2) == 0 ? any_length : Bytes(1 + random.below(20));
            const auto programs = compile_ranks(plan.schedule, *fabric, eager);
            ASSERT_FALSE(would_stall(programs)) << algorithm.name;
            for (int run = 0; run < 2; ++run) {
                test::Units units;
                const std::uint64_t all = random.below(30);
                for (const test::Item& item : test::items_of(plan.schedule.collective))
                    units[item] = request.blocks || run == 1 ? random.below(30) : all;
                RankMachine machine(plan.schedule.collective, programs, units, random.below(1000));
                ASSERT_TRUE(machine.run()) << algorithm.name;
            }
            ++ran;
        }
    }
    EXPECT_GT(ran, 0u);
}

INSTANTIATE_TEST_SUITE_P(RankProgram, EveryKind,
                         testing::Values(Kind::broadcast, Kind::reduce, Kind::allreduce,
                                         Kind::scatter, Kind::gather, Kind::allgather,
                                         Kind::reduce_scatter, Kind::alltoall, Kind::barrier,
                                         Kind::scan, Kind::exscan),
                         [](const auto& instance) {
                             std::string name(name_of(instance.param));
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

}  // namespace
}  // namespace espalier::runtime
