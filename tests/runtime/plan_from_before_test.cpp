#include "runtime/logic/plan_from_before.hpp"

#include "network/grid_rates.hpp"
#include "network/json.hpp"
#include "runtime/logic/learning.hpp"
#include "simulate/rank_fabric.hpp"
#include "simulate/simulate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace espalier::runtime {
namespace {

using network::GridNetwork;
using network::GridView;

/// Three far hosts, of which the third is reached faster by way of the second.
GridNetwork chain_of_three() {
    return *network::parse_network(
                R"({"format": "espalier-network", "version": 1, "model": "grid", "clusters": [
                    {"name": "a", "nodes": ["a"]}, {"name": "b", "nodes": ["b"]},
                    {"name": "c", "nodes": ["c"]}], "unstated": "separate",
                    "latency_s": [[0, 1e-2, 9e-2], [1e-2, 0, 1e-2], [9e-2, 1e-2, 0]],
                    "gap_s": [[0, 1e-6, 1e-6], [1e-6, 0, 1e-6], [1e-6, 1e-6, 0]]})",
                "test")
                .grid();
}

PlannedRanks broadcast_on(const GridView& view, const std::vector<GridView::Place>& places) {
    Policy policy;
    policy.spent = Seconds(1);
    return plan_ranks(view, places, {.bytes = Bytes(8)}, {}, policy);
}

TEST(PlanFromBefore, is_kept_where_it_would_be_better_if_the_network_were_as_it_was) {
    const GridNetwork first = chain_of_three();
    const GridView before(first);
    const std::vector<GridView::Place> places{{0, 0}, {1, 0}, {2, 0}};
    const PlannedRanks old = broadcast_on(before, places);
    const network::GridRate b_to_c{network::GridRate::Kind::link, {}, 1, 2};
    for (const double later : {0.0, 1e-3, 0.5}) {
        SCOPED_TRACE(later);
        const GridNetwork grid = network::with_later(first, b_to_c, Seconds(later));
        const GridView now(grid);
        PlannedRanks planned = broadcast_on(now, places);
        const std::size_t plans = planned.schedules.size();
        add_plan_from_before(planned, old, now, places, 0.3);
        // A little later the chain is the best all the same.
        ASSERT_EQ(planned.schedules.size(), plans + (later == 0.5 ? 1 : 0));
        for (const PlannedCollective& share : planned.shares)
            ASSERT_EQ(share.others.size() + 1, planned.schedules.size());
        if (later < 0.5) continue;
        const PlannedCollective& kept = planned.shares.front().others.back();
        const Seconds takes =
            simulate::simulate(*planned.schedules.back(), *simulate::make_rank_fabric(now, places))
                .makespan;
        EXPECT_NEAR(takes.value, 0.52, 1e-3);
        EXPECT_EQ(kept.predicted, takes);
        EXPECT_EQ(kept.prior.expected, takes);
        EXPECT_EQ(kept.prior.usual, 1.0);
        EXPECT_EQ(kept.prior.over, 0.3);
        EXPECT_EQ(kept.prior.before, old.shares.front().predicted);
        EXPECT_NEAR(kept.prior.before->value, 0.02, 1e-3);
        EXPECT_TRUE(kept.others.empty());
        // It goes where all shares go.
        const PlannedCollective sent = decode_planned(encode(planned.shares.back()));
        EXPECT_EQ(sent.others.back().prior.over, 0.3);
        EXPECT_EQ(sent.others.back().prior.before, kept.prior.before);
    }
    // MPI's own is no plan to come back to.
    PlannedRanks native = old;
    for (PlannedCollective& share : native.shares) share.refusal = "none";
    PlannedRanks planned = old;
    add_plan_from_before(planned, native, before, places, 0.3);
    EXPECT_EQ(planned.schedules.size(), old.schedules.size());
}

TEST(PlanFromBefore, plans_know_what_they_take_when_the_network_is_as_it_was) {
    const GridNetwork first = chain_of_three();
    const GridView before(first);
    const std::vector<GridView::Place> places{{0, 0}, {1, 0}, {2, 0}};
    const network::GridRate b_to_c{network::GridRate::Kind::link, {}, 1, 2};
    std::size_t most = 0;
    for (const double later : {0.03, 0.065, 0.075}) {
        const GridNetwork grid = network::with_later(first, b_to_c, Seconds(later));
        PlannedRanks planned = broadcast_on(GridView(grid), places);
        most = std::max(most, planned.schedules.size());
        foretell_return(planned, before, places);
        for (std::size_t plan = 0; plan < planned.schedules.size(); ++plan) {
            const Seconds again = simulate::simulate(*planned.schedules[plan],
                                                     *simulate::make_rank_fabric(before, places))
                                      .makespan;
            for (const PlannedCollective& share : planned.shares)
                EXPECT_EQ(share.priors()[plan].again, again);
        }
        if (later > 0.03) continue;
        EXPECT_NEAR(planned.shares.front().predicted->value, 0.05, 1e-3);
        EXPECT_NEAR(planned.shares.front().prior.again->value, 0.02, 1e-3);
    }
    EXPECT_GT(most, 1U) << "several plans";
}

/// A broadcast from a along these messages.
std::shared_ptr<const schedule::Schedule> broadcast_by(
    const std::vector<std::pair<std::size_t, std::size_t>>& messages) {
    auto plan = std::make_shared<schedule::Schedule>();
    plan->nodes = {"a", "b", "c"};
    plan->chunks.push_back({Bytes(8)});
    for (const auto& [from, to] : messages) plan->transfers.push_back({from, to, 0});
    return plan;
}

TEST(Learning, takes_of_plans_for_what_may_be_so_the_one_that_is_good_whatever_is) {
    const PlannableNetwork first(network::Network(chain_of_three()), "test");
    const std::vector<GridView::Place> places{{0, 0}, {1, 0}, {2, 0}};
    const auto lesson = [&](std::size_t from, double later) {
        const network::GridRate to_c{network::GridRate::Kind::link, {}, from, 2};
        return Learning::Lesson{
            std::make_shared<PlannableNetwork>(
                first, network::with_later(first.view().grid(), to_c, Seconds(later))),
            1,
            {}};
    };
    const auto chain = broadcast_by({{0, 1}, {1, 2}});
    const auto direct = broadcast_by({{0, 1}, {0, 2}});
    // By way of b it takes 20 or 120 ms, straight 90 or 100.
    EXPECT_EQ(best_over_all(std::vector{chain, direct},
                            std::vector{lesson(0, 0.01), lesson(1, 0.1)}, places),
              0U);
    // 20 or 220.
    EXPECT_EQ(best_over_all(std::vector{chain, direct},
                            std::vector{lesson(0, 0.01), lesson(1, 0.2)}, places),
              1U);
}

}  // namespace
}  // namespace espalier::runtime
