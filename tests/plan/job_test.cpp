#include "support/racing.hpp"

#include "core/error.hpp"
#include "plan/algorithm.hpp"
#include "plan/levels.hpp"
#include "plan/overhead.hpp"
#include "schedule/validate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <bit>

namespace espalier::plan {
namespace {

using network::Cluster;
using network::CostTable;
using network::GridNetwork;
using network::GridView;
using network::PLogP;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PLogP link(double latency, double gap) {
    return {CostTable(Seconds(latency)), CostTable(Seconds(gap))};
}

Cluster cluster(const std::string& name, std::size_t size) {
    Cluster result;
    result.name = name;
    result.size = size;
    result.inside = Cluster::Local{link(1, 2)};
    return result;
}

/// Clusters of these sizes, L = 10 and g = 20 between them, L = 1 and g = 2 inside.
GridNetwork grid_of(const std::vector<std::size_t>& sizes) {
    GridNetwork grid;
    grid.links = {sizes.size(), sizes.size(), link(10, 20)};
    for (std::size_t c = 0; c < sizes.size(); ++c)
        grid.clusters.push_back(cluster(std::string(1, static_cast<char>('a' + c)), sizes[c]));
    return grid;
}

Ranked plan(const GridNetwork& grid, const Request& request) {
    const GridView view(grid);
    return ranked_best(Job::everywhere(view), request);
}

std::string fault_of(const Job& job, const Request& request) {
    try {
        static_cast<void>(ranked_best(job, request));
    } catch (const InputError& fault) {
        return fault.what();
    }
    return "";
}

TEST(Broadcast, serves_clusters_before_their_nodes) {
    const Ranked found = plan(
        grid_of({1, 2, 1}), {.root = 0, .bytes = Bytes(100), .algorithm = "flat", .local = "flat"});
    EXPECT_THAT(found.by_cluster().schedule.nodes, ElementsAre("a", "b", "c"));
    EXPECT_DOUBLE_EQ(found.by_cluster().timeline.transfers[1].end.value, 50) << "20 + 20 + 10";
    ASSERT_EQ(found.by_cluster().timeline.local.size(), 1U);
    EXPECT_DOUBLE_EQ(found.by_cluster().timeline.local[0].start.value, 30);
    EXPECT_DOUBLE_EQ(found.by_cluster().timeline.local[0].end.value, 33);
    EXPECT_DOUBLE_EQ(found.by_cluster().timeline.makespan.value, 50);
    EXPECT_THAT(found.plan.schedule.nodes, ElementsAre("a-0", "b-0", "b-1", "c-0"));
    EXPECT_DOUBLE_EQ(found.plan.timeline.makespan.value, 50);
    EXPECT_EQ(found.by_cluster().schedule.algorithm, "flat");
}

TEST(Broadcast, the_root_is_its_cluster_s_coordinator_wherever_it_sits) {
    const GridNetwork grid = grid_of({3, 2});
    const GridView view(grid);
    const Job job = Job::everywhere(view);
    for (std::size_t root = 0; root < 5; ++root) {
        const auto found = ranked_best(job, {.root = root, .bytes = Bytes(100)});
        EXPECT_EQ(found.plan.schedule.collective.root, root);
        EXPECT_EQ(schedule::find_violation(found.plan.schedule), std::nullopt);
        EXPECT_EQ(found.by_cluster().schedule.collective.root, root < 3 ? 0U : 1U);
        EXPECT_EQ(found.plan.schedule.transfers[0].from, root);
        EXPECT_DOUBLE_EQ(found.plan.timeline.transfers[0].start.value, 0);
    }
}

TEST(Broadcast, ranks_of_one_node_talk_inside_it) {
    GridNetwork grid = grid_of({2, 1});
    grid.clusters[0].within_node = link(0.1, 0.2);
    const GridView view(grid);
    const Job job{&view, {{0, 0}, {1, 0}, {0, 0}, {0, 1}}};
    const auto found = ranked_best(job, {.root = 2, .bytes = Bytes(100)});
    EXPECT_EQ(schedule::find_violation(found.plan.schedule), std::nullopt);
    EXPECT_THAT(found.plan.schedule.nodes, ElementsAre("a-0:0", "b-0", "a-0:1", "a-1"));
    std::size_t inside = 0;
    for (const auto& transfer : found.plan.schedule.transfers)
        if (transfer.to == 0) {
            EXPECT_EQ(transfer.from, 2U);
            ++inside;
        }
    EXPECT_EQ(inside, 1U);
}

TEST(Broadcast, each_port_of_a_node_sends) {
    const Request request{.root = 0,
                          .bytes = Bytes(100),
                          .algorithm = "flat",
                          .local = "flat",
                          .segmenting = {},
                          .ports = 2};
    const Ranked found = plan(grid_of({3, 1, 1}), request);
    EXPECT_EQ(to_string(found.plan.schedule.ports), "2-port");
    // To both clusters at once, till 20 and there at 30; then to both nodes, till 22.
    EXPECT_EQ(found.plan.timeline.makespan, Seconds(30));
    EXPECT_EQ(found.plan.timeline.completion[1], Seconds(23));
    EXPECT_EQ(found.plan.timeline.completion[2], Seconds(23));
}

TEST(Broadcast, clusters_without_ranks_take_no_part) {
    GridNetwork grid = grid_of({2, 5, 2});
    grid.links(0, 1).reset();  // nobody needs it
    grid.links(1, 0).reset();
    const GridView view(grid);
    const Job job{&view, {{0, 1}, {2, 0}}};
    const auto found = ranked_best(job, {.root = 1, .bytes = Bytes(100)});
    EXPECT_THAT(found.by_cluster().schedule.nodes, ElementsAre("a", "c"));
    EXPECT_THAT(found.plan.schedule.nodes, ElementsAre("a-1", "c-0"));
    EXPECT_DOUBLE_EQ(found.plan.timeline.makespan.value, 30);
}

TEST(Broadcast, sites_of_clusters_of_hosts_of_ranks) {
    // A site of two clusters, and a far cluster; two ranks on every node; the root is the last.
    GridNetwork site = grid_of({2, 3});
    Cluster outer;
    outer.name = "site";
    outer.size = 5;
    outer.inside = std::make_shared<const GridNetwork>(site);
    GridNetwork grid;
    grid.links = {2, 2, link(100, 200)};
    grid.clusters = {cluster("far", 2), outer};
    const GridView view(grid);
    Job job{&view, {}};
    for (std::size_t node = 0; node < view.nodes(); ++node)
        for (int rank = 0; rank < 2; ++rank) job.places.push_back(view.place_of(node));
    for (const auto mode :
         {Segmenting::Mode::none, Segmenting::Mode::automatic, Segmenting::Mode::fixed}) {
        const auto found = ranked_best(job, {.root = 13,
                                             .bytes = Bytes(4000),
                                             .algorithm = "ecef",
                                             .segmenting = {mode, Bytes(1000)}});
        EXPECT_EQ(schedule::find_violation(found.plan.schedule), std::nullopt);
        EXPECT_THAT(found.by_cluster().schedule.nodes, ElementsAre("far", "site"));
        std::size_t across = 0;
        std::size_t between = 0;
        for (const auto& transfer : found.plan.schedule.transfers) {
            const auto leaf = [&](std::size_t rank) { return job.places[rank].leaf; };
            if ((leaf(transfer.from) == 0) != (leaf(transfer.to) == 0))
                ++across;
            else if (leaf(transfer.from) != leaf(transfer.to))
                ++between;
        }
        EXPECT_EQ(across, 1U) << "the far link is crossed once";
        EXPECT_EQ(between, 1U);
    }
}

TEST(Broadcast, long_messages_are_cut_where_that_helps) {
    GridNetwork grid = grid_of({1, 1, 1, 1});
    const PLogP costly{CostTable(Seconds(0.001)),
                       CostTable({{Bytes(0), Seconds(1e-5)}, {Bytes(1 << 20), Seconds(0.1)}})};
    grid.links = {4, 4, costly};
    const auto of = [](std::uint64_t bytes, Segmenting::Mode mode) {
        return Request{
            .root = 0, .bytes = Bytes(bytes), .algorithm = "pipeline", .segmenting = {mode, {}}};
    };
    using Mode = Segmenting::Mode;
    const auto whole = plan(grid, of(8 << 20, Mode::none));
    const auto cut = plan(grid, of(8 << 20, Mode::automatic));
    EXPECT_EQ(whole.by_cluster().schedule.chunks[0].segments, 1U);
    EXPECT_GT(cut.by_cluster().schedule.chunks[0].segments, 16U);
    EXPECT_LT(cut.by_cluster().timeline.makespan.value,
              0.6 * whole.by_cluster().timeline.makespan.value);
    EXPECT_LT(cut.by_cluster().timeline.makespan.value, 1.1 * cut.by_cluster().lower_bound.value)
        << "a chain is close to the bound of any";
    const auto tiny = plan(grid, of(8, Mode::automatic));
    EXPECT_EQ(tiny.by_cluster().schedule.chunks[0].segments, 1U);
}

TEST(Broadcast, no_more_segments_are_looked_at_than_can_be_simulated_where_they_slow_each_other) {
    GridNetwork grid = grid_of(std::vector<std::size_t>(33, 1));
    const PLogP smooth{CostTable(Seconds(1e-4)),
                       CostTable({{Bytes(0), Seconds(0)}, {Bytes(1 << 20), Seconds(0.01)}})};
    grid.links = {33, 33, smooth};
    Request request{.root = 0, .bytes = Bytes(std::uint64_t(1) << 34), .algorithm = "pipeline"};
    request.segmenting.mode = Segmenting::Mode::automatic;
    const auto segments = [&] {
        return plan(grid, request).by_cluster().schedule.chunks[0].segments;
    };
    const std::size_t alone = segments();
    request.ports = 4;
    EXPECT_LT(segments(), alone);
    EXPECT_EQ(segments(),
              std::bit_floor(most_segments(32, steps_a_queued_message + 33 * steps_a_sharer)));
}

TEST(Broadcast, segments_have_the_size_that_was_asked_for) {
    const auto found = plan(grid_of({2, 2}), {.root = 0,
                                              .bytes = Bytes(1000),
                                              .algorithm = "ecef",
                                              .segmenting = {Segmenting::Mode::fixed, Bytes(300)}});
    const auto& chunk = found.by_cluster().schedule.chunks[0];
    EXPECT_EQ(chunk.segments, 4U);
    EXPECT_LE(schedule::segment_bytes(chunk.bytes, chunk.segments, 0), Bytes(300));
}

TEST(Broadcast, insides_known_by_their_times_are_planned_between_clusters_only) {
    GridNetwork grid = grid_of({1, 20});
    grid.clusters[1].inside = Cluster::KnownBroadcast{Seconds(5)};
    const auto found = plan(grid, {.root = 0, .bytes = Bytes(100)});
    EXPECT_FALSE(found.clusters);
    EXPECT_DOUBLE_EQ(found.by_cluster().timeline.makespan.value, 35);
    EXPECT_TRUE(found.by_cluster().optimal);
    const GridView view(grid);
    EXPECT_THAT(fault_of(Job::everywhere(view),
                         {.root = 0, .bytes = Bytes(1), .algorithm = "grid-unaware"}),
                AllOf(HasSubstr("grid-unaware"), HasSubstr("inside")));
}

TEST(Broadcast, a_nested_grid_of_known_times_takes_them_whole_or_in_segments) {
    GridNetwork inner = grid_of({2, 2});
    for (Cluster& member : inner.clusters) member.inside = Cluster::KnownBroadcast{Seconds(7)};
    GridNetwork grid;
    grid.links = {2, 2, link(100, 200)};
    Cluster outer;
    outer.name = "outer";
    outer.size = 4;
    outer.inside = std::make_shared<const GridNetwork>(inner);
    grid.clusters = {cluster("one", 1), outer};
    // 300 across, 30 between, 7 inside; each further segment 200 more.
    EXPECT_DOUBLE_EQ(
        plan(grid, {.root = 0, .bytes = Bytes(4)}).by_cluster().timeline.makespan.value, 337);
    EXPECT_DOUBLE_EQ(
        plan(grid,
             {.root = 0, .bytes = Bytes(4), .segmenting = {Segmenting::Mode::fixed, Bytes(2)}})
            .by_cluster()
            .timeline.makespan.value,
        537);
}

TEST(Broadcast, a_single_rank_is_done_at_once) {
    const auto found = plan(grid_of({1}), {.root = 0, .bytes = Bytes(100)});
    EXPECT_EQ(found.plan.timeline.makespan, Seconds(0));
    EXPECT_TRUE(found.plan.schedule.transfers.empty());
    EXPECT_TRUE(found.plan.optimal);
}

TEST(Broadcast, one_cluster_takes_the_names_of_local_strategies) {
    const auto chain = plan(grid_of({4}), {.root = 0, .bytes = Bytes(100), .algorithm = "chain"});
    EXPECT_DOUBLE_EQ(chain.plan.timeline.makespan.value, 9);
    const auto binomial =
        plan(grid_of({4}), {.root = 0, .bytes = Bytes(100), .algorithm = "binomial"});
    EXPECT_DOUBLE_EQ(binomial.plan.timeline.makespan.value, 6);
}

TEST(Reduction, clusters_combine_inside_before_their_coordinators_send) {
    const Ranked found = plan(grid_of({2, 3, 1}), {.kind = schedule::Kind::reduce,
                                                   .root = 4,
                                                   .bytes = Bytes(100),
                                                   .algorithm = "flat",
                                                   .local = "flat"});
    const auto& clusters = found.by_cluster().schedule;
    EXPECT_EQ(clusters.collective.kind, schedule::Kind::reduce);
    EXPECT_EQ(clusters.collective.root, 1U);
    EXPECT_EQ(find_violation(found.plan.schedule).value_or(schedule::Violation{}).what, "");
    EXPECT_EQ(found.plan.schedule.collective.root, 4U);
    ASSERT_EQ(clusters.local.size(), 2U);
    for (std::size_t p = 0; p < 2; ++p) {
        EXPECT_EQ(clusters.local[p].phase, schedule::LocalPart::Phase::before);
        EXPECT_EQ(found.by_cluster().timeline.local[p].start, Seconds(0));
        EXPECT_EQ(found.by_cluster().timeline.local[p].end,
                  Seconds(clusters.local[p].node == 0 ? 3 : 5));
    }
    // Reversed in time, flat receives from c last: from a from 3 to 33, then from c.
    ASSERT_EQ(clusters.transfers.size(), 2U);
    EXPECT_EQ(clusters.transfers[0].from, 0U);
    EXPECT_EQ(clusters.transfers[0].op, schedule::Op::combine);
    EXPECT_EQ(found.by_cluster().timeline.transfers[0].start, Seconds(3));
    EXPECT_EQ(found.by_cluster().timeline.transfers[1].start, Seconds(23));
    EXPECT_EQ(found.by_cluster().timeline.makespan, Seconds(53));
}

TEST(Reduction, takes_the_links_towards_the_root) {
    GridNetwork grid = grid_of({1, 1, 1});
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            if (i != j) grid.links(i, j) = link(0, i > j ? 1 : 100);
    const auto makespan = [&](schedule::Kind kind) {
        return plan(grid, {.kind = kind, .root = 0, .bytes = Bytes(1)})
            .by_cluster()
            .timeline.makespan;
    };
    EXPECT_EQ(makespan(schedule::Kind::reduce), Seconds(2));
    EXPECT_GE(makespan(schedule::Kind::broadcast), Seconds(101));
}

TEST(Reduction, receives_on_several_ports_what_was_sent_last_first) {
    GridNetwork grid = grid_of({1, 1, 1, 1});
    for (std::size_t i = 1; i < 4; ++i) grid.links(i, 0) = link(0, i == 1 ? 7 : 2);
    const Ranked found = plan(grid, {.kind = schedule::Kind::reduce,
                                     .root = 0,
                                     .bytes = Bytes(1),
                                     .algorithm = "flat",
                                     .segmenting = {},
                                     .ports = 2});
    // From the first on one port, from the others on the other one; not both and then the first.
    EXPECT_EQ(found.by_cluster().timeline.makespan, Seconds(7));
}

TEST(Reduction, is_not_made_of_what_only_copies) {
    const GridNetwork grid = grid_of({4});
    const GridView view(grid);
    const Job job = Job::everywhere(view);
    Request request{.kind = schedule::Kind::reduce, .root = 0, .bytes = Bytes(1)};
    for (const std::string name : {"scatter-collect", "binomial-rendezvous"}) {
        request.local = name;
        EXPECT_THAT(fault_of(job, request), AllOf(HasSubstr(name), HasSubstr("reduce")));
    }
}

TEST(Broadcast, names_what_it_can_not_plan) {
    GridNetwork grid = grid_of({2, 2});
    const GridView view(grid);
    const Job job = Job::everywhere(view);
    EXPECT_THAT(fault_of(job, {.root = 4, .bytes = Bytes(1)}), HasSubstr("root"));
    EXPECT_THAT(fault_of(job, {.root = 0, .bytes = Bytes(1), .algorithm = "fastest"}),
                AllOf(HasSubstr("algorithm"), HasSubstr("'fastest'")));
    EXPECT_THAT(fault_of(job, {.root = 0, .bytes = Bytes(1), .algorithm = "chain"}),
                HasSubstr("'chain'"));
    EXPECT_THAT(fault_of(job, {.root = 0, .bytes = Bytes(1), .local = "fastest"}),
                AllOf(HasSubstr("local"), HasSubstr("'fastest'")));
    EXPECT_THAT(fault_of(job, {.root = 0, .bytes = Bytes(1), .segmenting = {}, .ports = 0}),
                HasSubstr("ports"));
    grid.links(1, 0).reset();
    EXPECT_THAT(fault_of(job, {.root = 2, .bytes = Bytes(1)}),
                AllOf(HasSubstr("'b'"), HasSubstr("'a'"), HasSubstr("not known")));
}

}  // namespace
}  // namespace espalier::plan
