// What the command line shows for a job is what the library deals out to its ranks.

#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/race.hpp"
#include "runtime/logic/planned_collective.hpp"
#include "schedule/json.hpp"
#include "simulate/rank_fabric.hpp"
#include "support/random_grids.hpp"
#include "support/random_jobs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace espalier::runtime {
namespace {

using schedule::Kind;

constexpr Kind kinds[] = {Kind::broadcast, Kind::reduce,  Kind::allreduce, Kind::scatter,
                          Kind::gather,    Kind::barrier, Kind::allgather, Kind::reduce_scatter,
                          Kind::alltoall,  Kind::scan};
constexpr std::uint64_t sizes[] = {1, 777, 65536, 1 << 20};

TEST(WhatIsShown, is_what_runs_on_any_network_for_any_collective_and_size) {
    Random random(31);
    for (int n = 0; n < 40; ++n) {
        const network::GridNetwork grid =
            espalier::test::random_grid(random, {.shared = n % 2 == 0, .caps = n % 3 == 0});
        const network::GridView view(grid);
        const plan::Job job = espalier::test::random_job(random, view);
        Signature signature;
        signature.kind = kinds[n % 10];
        if (schedule::has_root(signature.kind))
            signature.root = static_cast<int>(random.below(job.places.size()));
        if (signature.kind != Kind::barrier) signature.bytes = Bytes(sizes[random.below(4)]);
        SCOPED_TRACE(::testing::Message()
                     << "trial " << n << ", " << name_of(signature.kind) << " of "
                     << signature.bytes.value << " bytes among " << job.places.size());
        // As `espalier plan` asks where nothing but the root and the size is given.
        const plan::Request asked{.kind = signature.kind,
                                  .root = static_cast<std::size_t>(signature.root),
                                  .bytes = signature.bytes,
                                  .ports = std::nullopt};
        const plan::Ranked shown = plan::race(job, asked).best();
        const auto file = schedule::parse_schedule(schedule::to_json_text(shown.plan), "plan.json");

        Policy policy;
        policy.planning = Settings::Planning::always;
        policy.memory = Bytes(std::uint64_t{1} << 40U);
        const auto dealt = plan_ranks(view, job.places, signature, {}, policy).shares;
        const auto fabric = simulate::make_rank_fabric(view, job.places);
        const auto programs =
            compile_ranks(file.plan.schedule, *fabric, policy.eager, shown.plan.timeline);
        ASSERT_EQ(dealt.size(), programs.size());
        for (std::size_t rank = 0; rank < dealt.size(); ++rank) {
            ASSERT_EQ(dealt[rank].refusal, "");
            EXPECT_EQ(dealt[rank].algorithm, shown.plan.schedule.algorithm);
            PlannedCollective expected = dealt[rank];
            expected.program = programs[rank];
            ASSERT_EQ(encode(dealt[rank]), encode(expected)) << "rank " << rank;
        }
    }
}

}  // namespace
}  // namespace espalier::runtime
