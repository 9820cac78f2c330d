// Plans of collectives with a block per rank on random grids: all candidates are valid, whatever
// the placement and the blocks, and none beats the bound.

#include "core/random.hpp"
#include "network/grid_view.hpp"
#include "plan/algorithm.hpp"
#include "plan/collective_bound.hpp"
#include "plan/site.hpp"
#include "schedule/validate.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/racing.hpp"
#include "support/random_grids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace espalier::plan {
namespace {

using network::GridView;
using schedule::Kind;
using schedule::Schedule;

constexpr Kind kinds[] = {Kind::scatter, Kind::gather, Kind::allgather, Kind::reduce_scatter,
                          Kind::alltoall};
constexpr std::uint64_t sizes[] = {1, 8, 1000, 65'536, 1U << 20U};

/// Several ranks on some nodes, none on others, in any order; up to 30.
Job random_job(Random& random, const GridView& view) {
    Job job{&view, {}};
    const std::size_t wanted = 1 + random.below(30);
    for (std::size_t rank = 0; rank < wanted; ++rank)
        job.places.push_back(view.place_of(random.below(view.nodes())));
    return job;
}

Bytes random_block(Random& random, Bytes most) {
    switch (random.below(4)) {
        case 0:
            return Bytes(0);
        case 1:
            return most;
        default:
            return Bytes(random.below(most.value + 1));
    }
}

/// Sometimes blocks differ, and some are empty; `bytes` is the largest.
void set_blocks(Random& random, Request& request, std::size_t ranks) {
    const Bytes most(sizes[random.below(5)]);
    request.bytes = most;
    if (random.below(2) == 0) return;
    if (request.kind == Kind::alltoall) {
        Matrix<Bytes> each(ranks, ranks);
        for (std::size_t from = 0; from < ranks; ++from)
            for (std::size_t to = 0; to < ranks; ++to)
                if (from != to) each(from, to) = random_block(random, most);
        request.bytes = Bytes(0);
        for (std::size_t from = 0; from < ranks; ++from)
            request.bytes = std::max(request.bytes, *std::ranges::max_element(each.row(from)));
        request.sizes = std::make_shared<const Matrix<Bytes>>(std::move(each));
        return;
    }
    std::vector<Bytes> each(ranks);
    for (Bytes& block : each) block = random_block(random, most);
    request.bytes = *std::ranges::max_element(each);
    request.blocks = std::make_shared<const std::vector<Bytes>>(std::move(each));
}

void expect_sound(const std::vector<Schedule>& candidates, const simulate::Fabric& fabric,
                  const Request& request, std::optional<double>& bound) {
    for (const Schedule& candidate : candidates) {
        const auto violation = schedule::find_violation(candidate);
        ASSERT_EQ(violation.value_or(schedule::Violation{}).what, "");
        EXPECT_EQ(candidate.collective.kind, request.kind);
        EXPECT_EQ(candidate.collective.blocks, request.blocks);
        EXPECT_EQ(candidate.ports.count, request.ports);
        const double time = simulate::simulate(candidate, fabric).makespan.value;
        if (!bound) bound = collective_bound(fabric, candidate.collective, *request.ports).value;
        EXPECT_LE(*bound, time * (1 + 1e-9));
        if (!request.direct) continue;
        for (const auto& transfer : candidate.transfers) {
            const auto& chunk = candidate.chunks[transfer.chunk];
            EXPECT_EQ(transfer.from, chunk.source.value_or(request.root));
            EXPECT_EQ(transfer.to, chunk.target.value_or(request.root));
        }
    }
}

TEST(ComposedBlocksProperty, all_candidates_are_valid_and_within_the_bound) {
    Random random(61);
    std::size_t looked_at = 0;
    for (int n = 0; n < 100; ++n) {
        const auto grid =
            test::random_grid(random, {.shared = random.below(2) == 0, .caps = n % 3 == 0});
        const GridView view(grid);
        const Job job = random_job(random, view);
        const Site site = site_of(job);
        const auto fabric = simulate::make_rank_fabric(view, job.places);
        Request request;
        request.kind = kinds[n % 5];
        request.root = random.below(job.places.size());
        request.ports = 1 + random.below(4) / 3;
        request.ordered = request.kind == Kind::reduce_scatter && random.below(3) == 0;
        request.direct = schedule::has_root(request.kind) && random.below(4) == 0;
        set_blocks(random, request, job.places.size());
        const composed::Problem problem{&job, &request, &site, fabric.get(), *request.ports, 0};
        std::optional<double> bound;
        for (const Algorithm& algorithm : algorithms()) {
            if (algorithm.family != Family::composed || !serves(algorithm, request.kind)) continue;
            SCOPED_TRACE(::testing::Message()
                         << "trial " << n << ", " << name_of(request.kind) << ", " << algorithm.name
                         << ", " << job.places.size() << " ranks");
            Meter meter({Seconds(1e8), 100'000});
            const auto candidates = std::get<composed::Planner>(algorithm.make)(problem, meter);
            looked_at += candidates.size();
            ASSERT_NO_FATAL_FAILURE(expect_sound(candidates, *fabric, request, bound));
        }
    }
    EXPECT_GT(looked_at, 500U);
}

TEST(ComposedBlocksProperty, there_is_always_a_plan) {
    Random random(62);
    for (int n = 0; n < 30; ++n) {
        const auto grid = test::random_grid(random, {});
        const GridView view(grid);
        const Job job = random_job(random, view);
        Request request;
        request.kind = kinds[n % 5];
        request.root = random.below(job.places.size());
        request.ordered = request.kind == Kind::reduce_scatter && random.below(2) == 0;
        request.direct = schedule::has_root(request.kind) && random.below(2) == 0;
        set_blocks(random, request, job.places.size());
        SCOPED_TRACE(::testing::Message() << "trial " << n << ", " << name_of(request.kind));
        const auto plan = plan_best(job, request, Limits{Seconds(1e8), 10'000});
        EXPECT_EQ(schedule::find_violation(plan.schedule).value_or(schedule::Violation{}).what, "");
        EXPECT_LE(plan.lower_bound.value, plan.timeline.makespan.value * (1 + 1e-9));
    }
}

}  // namespace
}  // namespace espalier::plan
