// Receptions and barriers against the naive simulator, and what follows from their definitions.

#include "simulate/reception.hpp"
#include "core/random.hpp"
#include "simulate/check.hpp"
#include "simulate/fluid.hpp"
#include "simulate/simulate.hpp"
#include "support/hand_schedules.hpp"
#include "support/reception_oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace espalier::simulate {
namespace {

using schedule::Kind;
using schedule::Reception;
using schedule::Schedule;
using schedule::Timeline;
using Mode = Reception::Mode;

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// Every pair with its own gap, and latency up to that.
network::GridNetwork random_grid(Random& random, std::size_t nodes, double latency) {
    network::GridNetwork grid;
    grid.links = {nodes, nodes};
    for (std::size_t i = 0; i < nodes; ++i) {
        grid.clusters.emplace_back().name = std::string(1, static_cast<char>('a' + i));
        for (std::size_t j = 0; j < nodes; ++j) {
            if (i == j) continue;
            const double base = random.uniform(0.1, 2);
            grid.links(i, j) = network::PLogP{
                network::CostTable(Seconds(random.uniform(0, latency))),
                network::CostTable({{Bytes(0), Seconds(base)},
                                    {Bytes(100), Seconds(base + random.uniform(0, 8))}})};
        }
    }
    return grid;
}

void add_random_barriers(Random& random, Schedule& schedule) {
    if (random.below(2) == 0) return;
    for (std::size_t t = 0; t <= schedule.transfers.size(); ++t)
        if (random.below(8) == 0) schedule.barriers.push_back(t);
}

/// Blocks of up to 100 bytes between random pairs, in random order.
Schedule random_exchange(Random& random, std::size_t nodes) {
    Schedule schedule = test::hand_made(Kind::alltoall, nodes, 100);
    schedule.chunks.clear();
    auto sizes = std::make_shared<Matrix<Bytes>>(nodes, nodes, Bytes(0));
    for (std::size_t from = 0; from < nodes; ++from)
        for (std::size_t to = 0; to < nodes; ++to) {
            if (from == to || random.below(5) == 0) continue;
            (*sizes)(from, to) = Bytes(1 + random.below(100));
            auto& chunk = schedule.chunks.emplace_back(test::chunk_of((*sizes)(from, to).value));
            chunk.source = from;
            chunk.target = to;
            test::add_copy(schedule, from, to, schedule.chunks.size() - 1);
        }
    schedule.collective.sizes = sizes;
    for (std::size_t t = schedule.transfers.size(); t > 1; --t)
        std::swap(schedule.transfers[t - 1], schedule.transfers[random.below(t)]);
    return schedule;
}

/// Two stripes along random trees.
Schedule random_relays(Random& random, std::size_t nodes) {
    Schedule schedule = test::hand_made(Kind::broadcast, nodes, 100);
    schedule.chunks = {test::chunk_of(30), test::chunk_of(70)};
    std::vector<std::vector<std::size_t>> holders(2, {0});
    while (holders[0].size() + holders[1].size() < 2 * nodes) {
        const std::size_t c = random.below(2);
        const std::size_t from = holders[c][random.below(holders[c].size())];
        const std::size_t to = random.below(nodes);
        if (std::ranges::count(holders[c], to) > 0) continue;
        test::add_copy(schedule, from, to, c);
        holders[c].push_back(to);
        if (random.below(6) == 0 && schedule.transfers.size() > 1)
            for (std::size_t u = 0; u + 1 < schedule.transfers.size(); ++u)
                if (schedule.transfers[u].to == from) schedule.transfers.back().after = u;
    }
    return schedule;
}

Reception random_reception(Random& random, Mode mode) {
    if (mode == Mode::interleaved)
        return {mode, random.below(2) == 0 ? 0 : random.uniform(0, 0.5), {}};
    const std::uint64_t buffers[] = {0, 60, 150, 400, unlimited};
    return {mode, 0, Bytes(buffers[random.below(5)])};
}

Schedule random_schedule(Random& random, std::size_t nodes, Mode mode) {
    Schedule schedule =
        random.below(3) == 0 ? random_relays(random, nodes) : random_exchange(random, nodes);
    if (mode != Mode::serial) schedule.reception = random_reception(random, mode);
    schedule.ports.count = 1 + random.below(4) / 3;
    add_random_barriers(random, schedule);
    return schedule;
}

void expect_naive(Mode mode, std::uint64_t seed) {
    Random random(seed);
    for (int n = 0; n < 400; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        const network::Network network(random_grid(random, nodes, random.below(2) == 0 ? 0 : 4));
        const Schedule schedule = random_schedule(random, nodes, mode);
        const auto fabric = make_fabric(network);
        const auto expected = test::naive_reception(schedule, *fabric);
        ASSERT_EQ(expected.size(), schedule.transfers.size()) << "the oracle stuck in trial " << n;
        const Timeline timeline = simulate(schedule, *fabric);
        for (std::size_t t = 0; t < expected.size(); ++t) {
            ASSERT_NEAR(timeline.transfers[t].start.value, expected[t].start, 1e-9)
                << "start of transfer " << t << " of trial " << n;
            ASSERT_NEAR(timeline.transfers[t].end.value, expected[t].end, 1e-9)
                << "end of transfer " << t << " of trial " << n;
        }
    }
}

TEST(ReceptionProperty, interleaved_messages_take_the_time_of_the_naive_simulator) {
    expect_naive(Mode::interleaved, 21);
}

TEST(ReceptionProperty, buffered_messages_take_the_time_of_the_naive_simulator) {
    expect_naive(Mode::buffered, 22);
}

/// The transfers before, between and after the barriers, each as a schedule of its own.
std::vector<Schedule> steps_of(const Schedule& schedule) {
    std::vector<Schedule> steps(1, schedule);
    steps.back().transfers.clear();
    steps.back().barriers.clear();
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        if (std::ranges::count(schedule.barriers, t) > 0) {
            steps.push_back(steps.front());
            steps.back().transfers.clear();
        }
        steps.back().transfers.push_back(schedule.transfers[t]);
        steps.back().transfers.back().after.reset();
    }
    return steps;
}

TEST(ReceptionProperty, a_barrier_puts_one_step_after_the_other_in_every_mode) {
    Random random(23);
    for (int n = 0; n < 600; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        auto grid = random_grid(random, nodes, random.below(2) == 0 ? 0 : 4);
        const auto mode = static_cast<Mode>(random.below(3));
        if (mode != Mode::buffered && nodes > 2 && random.below(2) == 0)
            grid.shared = {{"x", BytesPerSecond(random.uniform(1, 20)), {{0, 1}, {1, 2}, {2, 0}}}};
        const network::Network network(grid);
        const auto fabric = make_fabric(network);
        Schedule schedule = random_exchange(random, nodes);
        if (mode != Mode::serial) schedule.reception = random_reception(random, mode);
        for (auto& chunk : schedule.chunks) chunk.segments = 1 + random.below(3);
        add_random_barriers(random, schedule);
        // Steps without much to share would be queued instead.
        const auto time = [&](const Schedule& part) {
            return grid.shared.empty() ? simulate(part, *fabric) : simulate_fluid(part, *fabric);
        };
        const Timeline whole = time(schedule);
        double begin = 0;
        std::size_t t = 0;
        for (const Schedule& step : steps_of(schedule)) {
            const Timeline part = time(step);
            for (const auto& times : part.transfers) {
                ASSERT_NEAR(whole.transfers[t].start.value, begin + times.start.value, 1e-6) << n;
                ASSERT_NEAR(whole.transfers[t].end.value, begin + times.end.value, 1e-6) << n;
                ++t;
            }
            double last = 0;
            for (const auto& times : part.transfers) last = std::max(last, times.end.value);
            begin += last;
        }
    }
}

TEST(ReceptionProperty, capacities_that_never_bind_change_nothing_of_interleaving) {
    Random random(24);
    for (int n = 0; n < 300; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        auto grid = random_grid(random, nodes, 4);
        Schedule schedule = random_schedule(random, nodes, Mode::interleaved);
        for (auto& chunk : schedule.chunks) chunk.segments = 1 + random.below(2);
        const network::Network plain(grid);
        network::SharedCapacity& wide = grid.shared.emplace_back();
        wide = {"wide", BytesPerSecond(1e12), {}};
        for (std::size_t j = 1; j < nodes; ++j) wide.pairs.emplace_back(0, j);
        const network::Network shared(grid);
        const Timeline alone = simulate_interleaved(schedule, *make_fabric(plain));
        const Timeline beside = simulate_fluid(schedule, *make_fabric(shared));
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            ASSERT_NEAR(alone.transfers[t].start.value, beside.transfers[t].start.value, 1e-9) << n;
            ASSERT_NEAR(alone.transfers[t].end.value, beside.transfers[t].end.value, 1e-9) << n;
        }
    }
}

TEST(ReceptionProperty, without_a_buffer_it_is_the_base_model_in_another_order_of_receives) {
    Random random(25);
    for (int n = 0; n < 300; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        const network::Network network(random_grid(random, nodes, 0));
        const auto fabric = make_fabric(network);
        Schedule schedule = random_exchange(random, nodes);
        schedule.reception = {Mode::buffered, 0, Bytes(0)};
        const Timeline unordered = simulate(schedule, *fabric);
        std::vector<std::size_t> order(schedule.transfers.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {},
                                 [&](std::size_t t) { return unordered.transfers[t].start.value; });
        Schedule serial = schedule;
        serial.reception = {};
        for (std::size_t t = 0; t < order.size(); ++t)
            serial.transfers[t] = schedule.transfers[order[t]];
        const Timeline ordered = simulate(serial, *fabric);
        for (std::size_t t = 0; t < order.size(); ++t)
            ASSERT_NEAR(ordered.transfers[t].start.value, unordered.transfers[order[t]].start.value,
                        1e-9)
                << n;
    }
}

TEST(ReceptionProperty, before_an_unlimited_buffer_no_sender_waits) {
    Random random(26);
    for (int n = 0; n < 300; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        const network::Network network(random_grid(random, nodes, 4));
        const auto fabric = make_fabric(network);
        Schedule schedule = random_exchange(random, nodes);
        schedule.reception = {Mode::buffered, 0, Bytes(unlimited)};
        const Timeline timeline = simulate(schedule, *fabric);
        std::vector<double> sent(nodes, 0);
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            double& free = sent[schedule.transfers[t].from];
            ASSERT_NEAR(timeline.transfers[t].start.value, free, 1e-9) << n;
            free = timeline.transfers[t].sent.value;
        }
    }
}

schedule::StatedPlan stated_plan(const Schedule& schedule, const Fabric& fabric) {
    schedule::StatedPlan stated;
    stated.plan.schedule = schedule;
    stated.plan.timeline = simulate(schedule, fabric);
    stated.has_times = true;
    return stated;
}

TEST(ReceptionProperty, the_checker_accepts_what_the_simulator_says) {
    Random random(27);
    for (int n = 0; n < 900; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        auto grid = random_grid(random, nodes, random.below(2) == 0 ? 0 : 4);
        const auto mode = static_cast<Mode>(random.below(3));
        if (mode != Mode::buffered && nodes > 2 && random.below(3) == 0)
            grid.shared = {{"x", BytesPerSecond(random.uniform(1, 20)), {{0, 1}, {1, 2}, {2, 0}}}};
        const network::Network network(grid);
        const auto fabric = make_fabric(network);
        Schedule schedule = random_schedule(random, nodes, mode);
        // What awaits a whole transfer may have to be sent before its last segment.
        for (auto& transfer : schedule.transfers)
            if (n % 4 == 0) transfer.after.reset();
        for (auto& chunk : schedule.chunks) chunk.segments = n % 4 == 0 ? 2 : 1;
        ASSERT_EQ(check(stated_plan(schedule, *fabric), *fabric).violation.value_or(""), "") << n;
    }
}

void shift(Timeline::Times& times, double by) {
    times.start += Seconds(by);
    times.end += Seconds(by);
}

TEST(ReceptionProperty, the_checker_finds_any_transfer_that_is_moved_forward_or_shortened) {
    Random random(28);
    std::size_t moved = 0;
    for (int n = 0; n < 600; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        const network::Network network(random_grid(random, nodes, random.below(2) == 0 ? 0 : 4));
        const auto fabric = make_fabric(network);
        const auto mode = static_cast<Mode>(random.below(3));
        Schedule schedule = random_exchange(random, nodes);
        if (mode != Mode::serial) schedule.reception = random_reception(random, mode);
        add_random_barriers(random, schedule);
        if (schedule.transfers.empty()) continue;
        const auto stated = stated_plan(schedule, *fabric);
        const std::size_t t = random.below(schedule.transfers.size());
        auto broken = stated;
        broken.plan.timeline.transfers[t].end -= Seconds(0.01);
        EXPECT_NE(check(broken, *fabric).violation.value_or(""), "") << n << " " << t;
        broken = stated;
        auto& times = broken.plan.timeline.transfers[t];
        if (times.start.value < 0.01) continue;
        shift(times, -0.01);
        // What fits into a buffer, and waits for another that does not, could be let in before it.
        const std::uint64_t buffer = schedule.reception.buffer.value;
        if (mode == Mode::buffered && buffer != 0 && buffer != unlimited) continue;
        ++moved;
        EXPECT_NE(check(broken, *fabric).violation.value_or(""), "") << n << " " << t;
    }
    EXPECT_GT(moved, 200U);
}

/// The most bytes that wait at one node at a time.
std::uint64_t peak_of(const Schedule& schedule, const Timeline& timeline) {
    std::uint64_t peak = 0;
    const auto waits = [](const Timeline::Times& times) {
        return times.end.value - times.sent.value > 1e-9;
    };
    for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
        const double now = timeline.transfers[t].start.value;
        std::uint64_t held = 0;
        for (std::size_t u = 0; u < schedule.transfers.size(); ++u) {
            const auto& times = timeline.transfers[u];
            if (schedule.transfers[u].to == schedule.transfers[t].to && waits(times) &&
                times.start.value <= now && now < times.end.value - 1e-9)
                held += schedule.bytes_of(schedule.transfers[u]).value;
        }
        peak = std::max(peak, held);
    }
    return peak;
}

TEST(ReceptionProperty, the_checker_finds_a_buffer_that_holds_a_byte_too_much) {
    Random random(29);
    for (int n = 0; n < 200; ++n) {
        const std::size_t nodes = 3 + random.below(4);
        const network::Network network(random_grid(random, nodes, 0));
        const auto fabric = make_fabric(network);
        Schedule schedule = random_exchange(random, nodes);
        schedule.reception = {Mode::buffered, 0, Bytes(unlimited)};
        auto stated = stated_plan(schedule, *fabric);
        const std::uint64_t peak = peak_of(schedule, stated.plan.timeline);
        if (peak == 0) continue;
        stated.plan.schedule.reception.buffer = Bytes(peak);
        EXPECT_EQ(check(stated, *fabric).violation.value_or(""), "") << n;
        stated.plan.schedule.reception.buffer = Bytes(peak - 1);
        EXPECT_NE(check(stated, *fabric).violation.value_or("").find("does not fit"),
                  std::string::npos)
            << n;
    }
}

TEST(ReceptionProperty, one_after_the_other_is_what_the_checker_wants_from_an_application) {
    Random random(30);
    std::size_t swapped = 0;
    for (int n = 0; n < 200; ++n) {
        const std::size_t nodes = 3 + random.below(4);
        const network::Network network(random_grid(random, nodes, 0));
        const auto fabric = make_fabric(network);
        Schedule schedule = random_exchange(random, nodes);
        schedule.reception = {Mode::buffered, 0, Bytes(unlimited)};
        const auto stated = stated_plan(schedule, *fabric);
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
            const auto& times = stated.plan.timeline.transfers[t];
            if (times.end.value - times.sent.value < 0.01) continue;
            // The next one of the same receiver is received beside it.
            for (std::size_t u = 0; u < schedule.transfers.size(); ++u) {
                const auto& next = stated.plan.timeline.transfers[u];
                if (schedule.transfers[u].to != schedule.transfers[t].to ||
                    next.arrival.value < times.end.value || next.end.value - next.sent.value < 0.01)
                    continue;
                auto broken = stated;
                broken.plan.timeline.transfers[u].end -= next.arrival - times.arrival;
                ++swapped;
                EXPECT_NE(check(broken, *fabric).violation.value_or(""), "") << n;
            }
        }
    }
    EXPECT_GT(swapped, 100U);
}

}  // namespace
}  // namespace espalier::simulate
