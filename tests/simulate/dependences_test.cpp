#include "simulate/dependences.hpp"

#include "core/random.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

namespace espalier::simulate {
namespace {

using namespace espalier::test;
using schedule::Kind;
using schedule::LocalPart;
using schedule::Ports;
using schedule::Schedule;
using schedule::Timeline;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Timeline run(const Schedule& schedule, const network::Network& network) {
    return simulate(schedule, *make_fabric(network));
}

Schedule exchange(std::size_t nodes) {
    Schedule schedule = hand_made(Kind::alltoall, nodes, 100);
    schedule.chunks.clear();
    return schedule;
}

void add_message(Schedule& schedule, std::size_t from, std::size_t to, std::uint64_t bytes = 100) {
    schedule.chunks.push_back(chunk_of(bytes));
    schedule.chunks.back().source = from;
    schedule.chunks.back().target = to;
    add_copy(schedule, from, to, schedule.chunks.size() - 1);
}

/// Transfer (step - 1) * nodes + i goes from i to i + step.
Schedule caterpillar(std::size_t nodes) {
    Schedule schedule = exchange(nodes);
    for (std::size_t step = 1; step < nodes; ++step)
        for (std::size_t i = 0; i < nodes; ++i) add_message(schedule, i, (i + step) % nodes);
    return schedule;
}

Schedule random_exchange(Random& random, std::size_t nodes) {
    Schedule schedule = exchange(nodes);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
            if (i != j) pairs.emplace_back(i, j);
    for (std::size_t k = pairs.size(); k > 1; --k) std::swap(pairs[k - 1], pairs[random.below(k)]);
    for (const auto& [i, j] : pairs) add_message(schedule, i, j, 1 + random.below(1000));
    return schedule;
}

network::Network random_pairs(Random& random, std::size_t nodes) {
    network::PairwiseNetwork network;
    network.startup = Matrix<std::optional<Seconds>>(nodes, nodes);
    network.bandwidth = Matrix<std::optional<BytesPerSecond>>(nodes, nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        network.nodes.push_back("n" + std::to_string(i));
        for (std::size_t j = 0; j < nodes; ++j) {
            network.startup(i, j) = Seconds(random.uniform(0, 0.5));
            network.bandwidth(i, j) = BytesPerSecond(random.uniform(100, 2000));
        }
    }
    return network::Network{network};
}

/// The heaviest chain of the graph, each transfer counting what it costs alone: no timeline is
/// looked at (bhat-1998, proof of Theorem 2, Equation 1).
double heaviest_chain(const Schedule& schedule, const network::Network& network,
                      const Dependences& graph) {
    const auto fabric = make_fabric(network);
    std::vector<double> over(schedule.transfers.size(), 0);
    for (std::size_t t = 0; t < over.size(); ++t) {
        const auto& transfer = schedule.transfers[t];
        double start = 0;
        for (const Dependence& need : graph.of(t)) start = std::max(start, over[need.transfer]);
        over[t] =
            start + fabric->cost(transfer.from, transfer.to, schedule.bytes_of(transfer)).gap.value;
    }
    return *std::ranges::max_element(over);
}

void expect_unbroken(const CriticalPath& path, const Timeline& timeline) {
    const double tolerance = 1e-9 * timeline.makespan.value;
    ASSERT_FALSE(path.steps.empty());
    double now = path.local_first ? timeline.local[*path.local_first].end.value : 0;
    for (const auto& step : path.steps) {
        EXPECT_EQ(step.idle.value, 0);
        EXPECT_NEAR(step.begins.value, now, tolerance);
        EXPECT_GE(step.ends.value, step.begins.value - tolerance);
        const auto& times = timeline.transfers[step.transfer];
        EXPECT_LE(times.start.value, step.begins.value + tolerance);
        EXPECT_GE(times.end.value, step.ends.value - tolerance);
        now = step.ends.value;
    }
    EXPECT_EQ(path.idle.value, 0);
    const double end =
        path.local_last ? timeline.local[*path.local_last].start.value : timeline.makespan.value;
    EXPECT_NEAR(now, end, tolerance);
}

std::vector<std::size_t> transfers_of(const CriticalPath& path) {
    std::vector<std::size_t> out;
    for (const auto& step : path.steps) out.push_back(step.transfer);
    return out;
}

std::vector<std::optional<Bond>> bonds_of(const CriticalPath& path) {
    std::vector<std::optional<Bond>> out;
    for (const auto& step : path.steps) out.push_back(step.bond);
    return out;
}

CriticalPath path_of(const Schedule& schedule, const Timeline& timeline) {
    return critical_path(schedule, timeline, Dependences(schedule, timeline));
}

TEST(Dependences, of_a_caterpillar_are_vertical_and_diagonal) {
    constexpr std::size_t nodes = 5;
    const Schedule schedule = caterpillar(nodes);
    const Dependences graph(schedule, run(schedule, uniform_pairwise(nodes, 0, 100)));
    for (std::size_t step = 1; step < nodes; ++step)
        for (std::size_t i = 0; i < nodes; ++i) {
            const auto found = graph.of((step - 1) * nodes + i);
            const std::vector<Dependence> needs(found.begin(), found.end());
            if (step == 1) {
                EXPECT_THAT(needs, IsEmpty());
                continue;
            }
            const std::size_t before = (step - 2) * nodes;
            EXPECT_THAT(needs,
                        UnorderedElementsAre(Dependence{before + i, Bond::sender},
                                             Dependence{before + (i + 1) % nodes, Bond::receiver}));
        }
}

TEST(Dependences, their_heaviest_chain_is_the_makespan_and_the_critical_path) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Random random(seed);
        const std::size_t nodes = 2 + random.below(6);
        Schedule schedule = random_exchange(random, nodes);
        if (random.below(2) == 0) schedule.ports.duplex = Ports::Duplex::half;
        const auto network = random_pairs(random, nodes);
        const Timeline timeline = run(schedule, network);
        const Dependences graph(schedule, timeline);
        EXPECT_NEAR(heaviest_chain(schedule, network, graph), timeline.makespan.value, 1e-9);
        const CriticalPath path = critical_path(schedule, timeline, graph);
        expect_unbroken(path, timeline);
        double sum = 0;
        for (const auto& step : path.steps) {
            const auto& times = timeline.transfers[step.transfer];
            sum += (times.end - times.start).value;
        }
        EXPECT_NEAR(sum, timeline.makespan.value, 1e-9);
    }
}

TEST(Dependences, the_path_has_no_hole_whatever_holds_transfers_back) {
    for (std::uint64_t seed = 100; seed < 160; ++seed) {
        Random random(seed);
        const std::size_t nodes = 3 + random.below(5);
        Schedule schedule = random_exchange(random, nodes);
        schedule.ports.count = 1 + random.below(3);
        if (random.below(3) == 0) schedule.ports.duplex = Ports::Duplex::half;
        if (random.below(3) == 0)
            schedule.barriers = {nodes, schedule.transfers.size() - nodes + 1};
        const auto network =
            uniform_grid(nodes, random.uniform(0, 3), random.uniform(0, 1), random.uniform());
        const Timeline timeline = run(schedule, network);
        SCOPED_TRACE(seed);
        expect_unbroken(path_of(schedule, timeline), timeline);
    }
}

TEST(Dependences, the_path_has_no_hole_however_messages_are_received) {
    for (std::uint64_t seed = 200; seed < 260; ++seed) {
        Random random(seed);
        const std::size_t nodes = 3 + random.below(5);
        Schedule schedule = random_exchange(random, nodes);
        using Mode = schedule::Reception::Mode;
        schedule.reception.mode = seed % 2 == 0 ? Mode::interleaved : Mode::buffered;
        schedule.reception.overhead = seed % 2 == 0 ? random.uniform() : 0;
        schedule.reception.buffer = Bytes(seed % 2 == 0 ? 0 : random.below(4000));
        const Timeline timeline = run(schedule, random_pairs(random, nodes));
        SCOPED_TRACE(seed);
        expect_unbroken(path_of(schedule, timeline), timeline);
    }
}

TEST(Dependences, data_has_to_come_before_it_is_passed_on) {
    Schedule schedule = hand_made(Kind::broadcast, 4, 100);
    add_copy(schedule, 0, 1);
    add_copy(schedule, 1, 2);
    add_copy(schedule, 0, 3);
    const Timeline timeline = run(schedule, uniform_grid(4, 5, 2));
    const CriticalPath path = path_of(schedule, timeline);
    EXPECT_THAT(transfers_of(path), ElementsAre(0, 1));
    EXPECT_THAT(bonds_of(path), ElementsAre(std::nullopt, Bond::data));
    expect_unbroken(path, timeline);
}

TEST(Dependences, of_several_that_bring_a_chunk_the_last_counts) {
    const Schedule schedule = reduction_and_broadcast();
    const Dependences graph(schedule, run(schedule, uniform_pairwise(4, 0, 100)));
    const auto needs = graph.of(3);  // a to c, after b to a, d to c and c to a
    EXPECT_THAT(std::vector<Dependence>(needs.begin(), needs.end()),
                UnorderedElementsAre(Dependence{2, Bond::data}, Dependence{1, Bond::receiver}));
}

TEST(Dependences, a_barrier_holds_back_who_could_have_begun) {
    Schedule schedule = exchange(4);
    add_message(schedule, 0, 1, 500);
    add_message(schedule, 2, 3, 100);
    add_message(schedule, 2, 3, 100);
    schedule.barriers = {1};
    const auto network = uniform_pairwise(4, 0, 100);
    Timeline timeline = run(schedule, network);
    const CriticalPath path = path_of(schedule, timeline);
    EXPECT_THAT(transfers_of(path), ElementsAre(0, 1, 2));
    EXPECT_EQ(path.steps[1].bond, Bond::barrier);
    expect_unbroken(path, timeline);
}

TEST(Dependences, an_answer_is_waited_for) {
    Schedule schedule = exchange(3);
    add_message(schedule, 0, 1);
    add_message(schedule, 1, 2);
    schedule.transfers[1].after = 0;
    const Timeline timeline = run(schedule, uniform_pairwise(3, 0, 100));
    EXPECT_THAT(bonds_of(path_of(schedule, timeline)), ElementsAre(std::nullopt, Bond::answer));
}

TEST(Dependences, the_path_of_a_pipeline_goes_through_every_stage) {
    Schedule schedule = hand_made(Kind::broadcast, 4, 1000);
    schedule.chunks[0].segments = 10;
    for (std::size_t node = 1; node < 4; ++node) add_copy(schedule, node - 1, node);
    const Timeline timeline = run(schedule, uniform_grid(4, 0.5, 0, 0.01));
    const CriticalPath path = path_of(schedule, timeline);
    EXPECT_THAT(transfers_of(path), ElementsAre(0, 1, 2));
    EXPECT_EQ(path.steps[2].bond, Bond::data);
    expect_unbroken(path, timeline);
}

TEST(Dependences, shared_capacities_stretch_the_path_and_do_not_break_it) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        network::GridNetwork grid = *uniform_grid(4, 0, 0.1, 0.01).grid();
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                if (i != j)
                    grid.links(i, j)->latency = network::CostTable(Seconds(random.uniform(0, 3)));
        grid.shared.push_back({"trunk", BytesPerSecond(100), {{0, 2}, {1, 3}, {1, 2}, {3, 0}}});
        const Schedule schedule = random_exchange(random, 4);
        const Timeline timeline = run(schedule, network::Network{grid});
        SCOPED_TRACE(seed);
        expect_unbroken(path_of(schedule, timeline), timeline);
    }
}

TEST(Dependences, the_path_begins_and_ends_inside_groups) {
    Schedule schedule = hand_made(Kind::reduce, 3, 100);
    add_combine(schedule, 1, 0);
    add_combine(schedule, 2, 0);
    for (const std::size_t node : {std::size_t{1}, std::size_t{2}}) {
        LocalPart& part = schedule.local.emplace_back();
        part.node = node;
        part.duration = Seconds(node == 1 ? 7 : 1);
        part.phase = LocalPart::Phase::before;
    }
    LocalPart& last = schedule.local.emplace_back();
    last.node = 0;
    last.duration = Seconds(4);
    const Timeline timeline = run(schedule, uniform_pairwise(3, 0, 100));
    const CriticalPath path = path_of(schedule, timeline);
    EXPECT_EQ(path.local_first, 0U);
    EXPECT_EQ(path.local_last, 2U);
    EXPECT_THAT(transfers_of(path), ElementsAre(0, 1));
    EXPECT_THAT(bonds_of(path), ElementsAre(Bond::inside, Bond::receiver));
    expect_unbroken(path, timeline);
}

TEST(Dependences, a_node_that_takes_in_what_comes_keeps_no_order_of_the_list) {
    Schedule schedule = exchange(3);
    add_message(schedule, 0, 2);
    add_message(schedule, 1, 2);
    schedule.reception = {schedule::Reception::Mode::buffered, 0, Bytes(1000)};
    Timeline timeline;
    // The second came first; the first waits in the buffer from 1 to 3.
    timeline.transfers = {{Seconds(1), Seconds(2), Seconds(3), Seconds(4)},
                          {Seconds(0), Seconds(3), Seconds(0), Seconds(3)}};
    timeline.makespan = Seconds(4);
    const CriticalPath path = path_of(schedule, timeline);
    EXPECT_THAT(transfers_of(path), ElementsAre(1, 0));
    EXPECT_THAT(bonds_of(path), ElementsAre(std::nullopt, Bond::receiver));
    expect_unbroken(path, timeline);
}

TEST(Dependences, stated_times_may_idle) {
    Schedule schedule = exchange(3);
    add_message(schedule, 0, 1);
    add_message(schedule, 0, 2);
    Timeline timeline;
    timeline.transfers = {{Seconds(1), Seconds(2), Seconds(1), Seconds(2)},
                          {Seconds(5), Seconds(6), Seconds(5), Seconds(6)}};
    timeline.makespan = Seconds(6);
    const CriticalPath path = path_of(schedule, timeline);
    EXPECT_THAT(transfers_of(path), ElementsAre(0, 1));
    EXPECT_DOUBLE_EQ(path.steps[0].idle.value, 1);
    EXPECT_DOUBLE_EQ(path.steps[0].ends.value, 2);
    EXPECT_DOUBLE_EQ(path.steps[1].idle.value, 3);
    EXPECT_DOUBLE_EQ(path.idle.value, 4);
}

TEST(Dependences, messages_that_take_no_time_have_a_path_too) {
    const Schedule schedule = caterpillar(4);
    const Timeline timeline = run(schedule, uniform_grid(4, 0, 0));
    const CriticalPath path = path_of(schedule, timeline);
    EXPECT_LE(path.steps.size(), 12U);
    EXPECT_EQ(path.idle.value, 0);
}

TEST(Dependences, a_timeline_of_another_schedule_is_refused) {
    EXPECT_THROW(Dependences(caterpillar(3), Timeline{}), std::invalid_argument);
}

}  // namespace
}  // namespace espalier::simulate
