#include "core/error.hpp"
#include "core/random.hpp"
#include "network/generate.hpp"
#include "plan/algorithm.hpp"
#include "runtime/compiled.hpp"
#include "runtime/logic/rank_program.hpp"
#include "runtime/logic/stall.hpp"
#include "runtime/rank_machine.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/racing.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace espalier::runtime {
namespace {

using schedule::Kind;
using schedule::Op;
using schedule::Schedule;
using schedule::Transfer;
using test::compiled;
using test::hand_made;
using test::RankMachine;
using test::runs;
using test::Uniform;

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
            static_cast<void>(simulate::simulate(schedule, Uniform(schedule.nodes.size())));
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

plan::Request random_request(Kind kind, const RandomJob& job, Random& random) {
    const std::size_t ranks = job.job.places.size();
    plan::Request request;
    request.kind = kind;
    request.root = has_root(kind) ? random.below(ranks) : 0;
    request.bytes = kind == Kind::barrier ? Bytes(0) : Bytes(1 + random.below(60'000));
    request.ordered = combines(kind) && kind != Kind::barrier && random.below(2) == 0;
    request.segmenting.mode =
        random.below(2) == 0 ? plan::Segmenting::Mode::automatic : plan::Segmenting::Mode::none;
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
            if (!plan::serves(algorithm, GetParam()) || algorithm.name == "optimal") continue;
            auto request = random_request(GetParam(), job, random);
            request.algorithm = algorithm.name;
            schedule::Plan plan;
            try {
                plan = plan::plan_best(job.job, request, Limits{Seconds(1), 100'000});
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
