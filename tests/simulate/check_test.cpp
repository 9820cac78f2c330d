#include "simulate/check.hpp"

#include "simulate/simulate.hpp"
#include "simulate/stated_plans.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using schedule::Kind;
using schedule::LocalPart;
using schedule::Ports;
using schedule::Schedule;
using schedule::StatedPlan;
using stated::fault_after;
using stated::fault_of;
using stated::planned;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(Check, accepts_what_the_simulator_says_of_every_collective_under_every_model) {
    for (Schedule schedule : one_of_every_kind()) {
        const std::size_t nodes = schedule.nodes.size();
        for (const auto& network : {uniform_grid(nodes, 1, 2), uniform_grid(nodes, 0.1, 0.3, 0.007),
                                    uniform_pairwise(nodes, 0.1, 77)}) {
            EXPECT_EQ(fault_of(planned(schedule, network), network), "");
            for (auto& chunk : schedule.chunks) chunk.segments = 3;
            EXPECT_EQ(fault_of(planned(schedule, network), network), "");
        }
        for (auto& chunk : schedule.chunks) chunk.segments = 1;
        schedule.ports.duplex = Ports::Duplex::half;
        const auto times = senders({3, 1, 2, 7});
        if (nodes == 4) {
            EXPECT_EQ(fault_of(planned(schedule, times), times), "");
        }
    }
}

TEST(Check, rejects_any_transfer_that_is_stated_to_be_earlier_or_to_end_earlier) {
    for (const Schedule& schedule : one_of_every_kind()) {
        const auto network = uniform_grid(schedule.nodes.size(), 1, 2);
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            const std::string named = "transfer " + std::to_string(t);
            EXPECT_THAT(fault_after(schedule, network,
                                    [&](StatedPlan& p) {
                                        p.plan.timeline.transfers[t].end -= Seconds(0.5);
                                    }),
                        HasSubstr(named));
            if (planned(schedule, network).plan.timeline.transfers[t].start.value == 0) continue;
            EXPECT_NE(fault_after(schedule, network,
                                  [&](StatedPlan& p) {
                                      stated::shift(p.plan.timeline.transfers[t], -0.5);
                                  }),
                      "")
                << schedule::name_of(schedule.collective.kind) << " " << named;
            EXPECT_NE(fault_after(schedule, network,
                                  [&](StatedPlan& p) {
                                      p.plan.timeline.transfers[t].start -= Seconds(0.5);
                                  }),
                      "")
                << schedule::name_of(schedule.collective.kind) << " " << named;
        }
    }
}

TEST(Check, a_pipeline_of_several_chunks_may_begin_before_the_last_of_them_is_there) {
    // c's own block leaves while d's is still coming.
    Schedule schedule = gather();
    schedule.transfers[2].segments = 2;
    const auto network = uniform_grid(4, 1, 0, 0.01);
    const StatedPlan stated = planned(schedule, network);
    EXPECT_LT(stated.plan.timeline.transfers[2].start, stated.plan.timeline.transfers[0].end);
    EXPECT_EQ(fault_of(stated, network), "");
    const auto d_is_late = [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[0], 5); };
    EXPECT_THAT(fault_after(schedule, network, d_is_late),
                AllOf(HasSubstr("transfer 2"), HasSubstr("before what it passes on has arrived")));
    // 8 bytes in 7 segments: the last three are empty, and need nothing.
    Schedule small = with_blocks(schedule, {4, 4, 4, 4});
    small.transfers[2].segments = 7;
    EXPECT_THAT(fault_after(small, network, d_is_late),
                AllOf(HasSubstr("transfer 2"), HasSubstr("before what it passes on has arrived")));
    schedule.transfers[2].segments = 1;
    EXPECT_THAT(
        fault_after(schedule, network,
                    [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[2], -1.5); }),
        AllOf(HasSubstr("transfer 2"), HasSubstr("before 'c' holds the data")));
}

TEST(Check, a_node_need_not_wait_for_what_is_listed_later) {
    const auto network = uniform_grid(4, 1, 2);
    const StatedPlan stated = planned(doubling_scan(), network);
    EXPECT_EQ(stated.plan.timeline.transfers[1].start, Seconds(0)) << "b sends before it receives";
    EXPECT_EQ(fault_of(stated, network), "");
    // What b sends in the second round, it must have received in the first.
    EXPECT_THAT(
        fault_after(doubling_scan(), network,
                    [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[3], -0.5); }),
        AllOf(HasSubstr("transfer 3"), HasSubstr("before 'b' holds the data")));
}

TEST(Check, accepts_a_last_transfer_that_is_later_than_need_be) {
    const auto network = uniform_grid(4, 1, 2);
    EXPECT_EQ(fault_after(reduction(), network,
                          [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[2], 7); }),
              "");
}

TEST(Check, says_what_comes_before_its_data) {
    EXPECT_THAT(
        fault_after(reduction(), uniform_grid(4, 1, 2),
                    [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[2], -0.5); }),
        AllOf(HasSubstr("transfer 2 (chunk 0, 'c' to 'a')"), HasSubstr("before 'c' holds")));
}

TEST(Check, says_which_port_is_busy) {
    // b to a and c to a at once.
    EXPECT_THAT(fault_after(gather(), uniform_grid(4, 1, 2),
                            [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[1], 2); }),
                AllOf(HasSubstr("transfer "), HasSubstr("to 'a'"), HasSubstr("port of 'a'")));
    // a sends to c while it sends to b.
    EXPECT_THAT(fault_after(two_trees(), uniform_grid(3, 1, 2),
                            [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[1], -1); }),
                AllOf(HasSubstr("transfer 1"), HasSubstr("port of 'a'")));
}

TEST(Check, says_when_a_reduction_needs_more_nodes_than_there_are) {
    Schedule schedule = reduction();
    schedule.ports.duplex = Ports::Duplex::half;
    schedule.transfers[1].to = 0;
    const auto network = senders({1, 2, 3, 4});
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    // All three at once would need three receivers more.
    EXPECT_THAT(fault_after(schedule, network,
                            [](StatedPlan& p) {
                                for (auto& times : p.plan.timeline.transfers)
                                    stated::shift(times, -times.start.value);
                            }),
                AllOf(HasSubstr("transfer 2"), HasSubstr("0 s"), HasSubstr("have sent than 4")));
}

TEST(Check, a_half_duplex_node_can_not_send_while_it_receives) {
    Schedule schedule = total_exchange();
    schedule.ports.duplex = Ports::Duplex::half;
    const auto network = senders({1, 2, 3});
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    EXPECT_THAT(
        fault_after(schedule, network,
                    [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[2], -0.5); }),
        AllOf(HasSubstr("port of 'c'")));
}

TEST(Check, a_schedule_can_not_assume_ports_that_the_network_lacks) {
    const auto network = senders({1, 2, 3});
    StatedPlan stated;
    stated.plan.schedule = total_exchange();
    EXPECT_THAT(fault_of(stated, network),
                AllOf(HasSubstr("full-duplex"), HasSubstr("half-duplex")));
}

TEST(Check, a_pipeline_can_not_overtake_what_it_passes_on) {
    // A slow link into b, a fast one out of it.
    network::GridNetwork grid;
    const auto link = [](double latency, double gap) {
        return network::PLogP{network::CostTable(Seconds(latency)),
                              network::CostTable(Seconds(gap))};
    };
    grid.links = {3, 3, link(1, 1)};
    grid.links(0, 1) = link(1, 5);
    for (const auto* name : {"a", "b", "c"}) grid.clusters.emplace_back().name = name;
    const network::Network network(grid);
    Schedule schedule = hand_made(Kind::broadcast, 3, 100);
    schedule.chunks[0].segments = 4;
    add_copy(schedule, 0, 1);
    add_copy(schedule, 1, 2);
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    for (const double by : {0.5, 1.5, 3.0, 10.0})
        EXPECT_THAT(
            fault_after(schedule, network,
                        [&](StatedPlan& p) { p.plan.timeline.transfers[1].end -= Seconds(by); }),
            HasSubstr("transfer 1"))
            << by;
}

TEST(Check, what_is_sent_in_one_piece_can_not_be_stretched) {
    EXPECT_THAT(fault_after(reduction(), uniform_grid(4, 1, 2),
                            [](StatedPlan& p) { p.plan.timeline.transfers[2].end += Seconds(1); }),
                AllOf(HasSubstr("transfer 2"), HasSubstr("its cost is 3 s")));
}

TEST(Check, the_makespan_is_the_end_of_the_last) {
    const auto network = uniform_grid(4, 1, 2);
    StatedPlan stated = planned(reduction(), network);
    for (const double wrong : {5.9, 6.1}) {
        stated.plan.timeline.makespan = Seconds(wrong);
        EXPECT_THAT(fault_of(stated, network), HasSubstr("makespan"));
    }
    stated.has_makespan = false;
    EXPECT_EQ(fault_of(stated, network), "");
}

TEST(Check, nothing_is_done_before_its_lower_bound) {
    const auto network = uniform_grid(4, 1, 2);
    StatedPlan stated = planned(reduction(), network);
    stated.plan.lower_bound = Seconds(6);
    EXPECT_EQ(fault_of(stated, network), "");
    stated.plan.lower_bound = Seconds(6.1);
    EXPECT_THAT(fault_of(stated, network), HasSubstr("lower bound"));
}

TEST(Check, without_times_the_makespan_is_held_against_the_simulators) {
    const auto network = uniform_grid(4, 1, 2);
    StatedPlan stated = planned(reduction(), network);
    stated.has_times = false;
    stated.plan.timeline.transfers.clear();
    EXPECT_EQ(fault_of(stated, network), "");
    stated.plan.timeline.makespan = Seconds(5.9);
    EXPECT_THAT(fault_of(stated, network), HasSubstr("simulated"));
    EXPECT_EQ(check(stated, *make_fabric(network)).timeline.makespan, Seconds(6));
}

TEST(Check, first_of_all_a_schedule_must_do_its_job) {
    const auto network = uniform_grid(4, 1, 2);
    EXPECT_EQ(
        fault_after(reduction(), network,
                    [](StatedPlan& p) {
                        drop(p.plan.schedule, 1);
                        p.plan.timeline.transfers.erase(p.plan.timeline.transfers.begin() + 1);
                    }),
        "node 'a' ends with an incomplete chunk 0");
    EXPECT_NE(fault_after(two_trees(), uniform_grid(3, 1, 2),
                          [](StatedPlan& p) {
                              std::swap(p.plan.schedule.transfers[0], p.plan.schedule.transfers[2]);
                          }),
              "");
}

TEST(Check, a_deadlock_is_a_violation) {
    StatedPlan stated;
    stated.plan.schedule = hand_made(Kind::broadcast, 3, 100);
    add_copy(stated.plan.schedule, 0, 1).segments = 2;
    add_copy(stated.plan.schedule, 1, 2);
    add_copy(stated.plan.schedule, 0, 2);
    EXPECT_THAT(fault_of(stated, uniform_grid(3, 1, 2)), HasSubstr("can't proceed"));
}

TEST(Check, rounding_late_in_a_long_schedule_is_no_fault) {
    // A gap of a microsecond after a hundred seconds of latency.
    network::GridNetwork grid;
    const auto link = [](double latency, double gap) {
        return network::PLogP{network::CostTable(Seconds(latency)),
                              network::CostTable(Seconds(gap))};
    };
    grid.links = {4, 4, link(0, 1.1e-6)};
    grid.links(0, 1) = link(100.1, 1e-6);
    for (const auto* name : {"a", "b", "c", "d"}) grid.clusters.emplace_back().name = name;
    const network::Network network(grid);
    Schedule schedule = hand_made(Kind::broadcast, 4, 100);
    schedule.chunks[0].segments = 7;
    add_copy(schedule, 0, 1);
    add_copy(schedule, 1, 2);
    add_copy(schedule, 1, 3);
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    schedule.chunks[0].segments = 1;
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
}

TEST(Check, nothing_crosses_a_capacity_faster_than_it_carries) {
    network::GridNetwork grid = *uniform_grid(4, 1, 0, 0.01).grid();
    grid.shared = {{"uplink", BytesPerSecond(100), {{0, 2}, {1, 3}}}};
    const network::Network network(grid);
    Schedule schedule = total_exchange();
    schedule.nodes.emplace_back("d");
    schedule.collective = {Kind::reduce, 4, 0, Bytes(100), false};
    schedule.chunks = {chunk_of(50), chunk_of(50)};
    schedule.transfers.clear();
    add_combine(schedule, 0, 2, 0);
    add_combine(schedule, 1, 3, 1);
    add_combine(schedule, 3, 2, 1);
    add_combine(schedule, 1, 2, 0);
    add_combine(schedule, 3, 2, 0);
    add_combine(schedule, 0, 2, 1);
    schedule.collective.root = 2;
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    EXPECT_DOUBLE_EQ(planned(schedule, network).plan.timeline.transfers[0].end.value, 2)
        << "50 bytes at half of 100 a second";
    EXPECT_THAT(fault_after(schedule, network,
                            [](StatedPlan& p) {
                                p.plan.timeline.transfers[0].end -= Seconds(0.4);
                                p.plan.timeline.transfers[1].end -= Seconds(0.4);
                            }),
                AllOf(HasSubstr("transfer "), HasSubstr("asks more of 'uplink'")));
}

TEST(Check, local_parts_fit_their_coordinators) {
    Schedule schedule = hand_made(Kind::broadcast, 2, 100);
    add_copy(schedule, 0, 1);
    schedule.local = {{1, "known", nullptr, Seconds(3), 1, LocalPart::Phase::after}};
    const auto network = uniform_grid(2, 1, 2);
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    EXPECT_THAT(fault_after(schedule, network,
                            [](StatedPlan& p) {
                                p.plan.timeline.local[0] = {Seconds(2.5), Seconds(5.5)};
                            }),
                HasSubstr("the local part of 'b' starts before"));
    EXPECT_THAT(fault_after(schedule, network,
                            [](StatedPlan& p) {
                                p.plan.schedule.local.push_back(p.plan.schedule.local[0]);
                                p.plan.timeline.local.push_back(p.plan.timeline.local[0]);
                            }),
                HasSubstr("two local parts"));

    schedule = hand_made(Kind::reduce, 2, 100);
    add_combine(schedule, 1, 0);
    schedule.local = {{1, "known", nullptr, Seconds(3), 1, LocalPart::Phase::before}};
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    EXPECT_THAT(fault_after(schedule, network,
                            [](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[0], -1); }),
                AllOf(HasSubstr("transfer 0"), HasSubstr("local part of 'b'")));
}

TEST(Check, a_handshake_that_comes_before_its_request_is_rejected) {
    Schedule schedule = hand_made(Kind::broadcast, 2, 100);
    schedule.chunks.push_back(chunk_of(1));
    schedule.chunks.back().control = true;
    add_copy(schedule, 0, 1, 1);
    add_copy(schedule, 1, 0, 1).after = 0;
    add_copy(schedule, 0, 1, 0).after = 1;
    const auto network = uniform_grid(2, 1, 2);
    EXPECT_EQ(fault_of(planned(schedule, network), network), "");
    for (const std::size_t t : {std::size_t{1}, std::size_t{2}})
        EXPECT_THAT(
            fault_after(schedule, network,
                        [&](StatedPlan& p) { stated::shift(p.plan.timeline.transfers[t], -0.5); }),
            HasSubstr("transfer " + std::to_string(t)));
}

}  // namespace
}  // namespace espalier::simulate
