// The simulator against a fixed point of all constraints, on random schedules.

#include "simulate/simulate.hpp"
#include "core/error.hpp"
#include "core/infinity.hpp"
#include "core/random.hpp"
#include "schedule/validate.hpp"
#include "simulate/bounds.hpp"
#include "simulate/check.hpp"
#include "simulate/fluid.hpp"
#include "support/grid_oracle.hpp"
#include "support/grid_problems.hpp"
#include "support/grid_schedules.hpp"
#include "support/hand_schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace espalier::simulate {
namespace {

using schedule::Kind;
using schedule::Ports;
using schedule::Schedule;

/// One segment of one transfer on its way, by brute force: no order of computation, only what each
/// start has to wait for, again and again until nothing moves.
class FixedPoint {
public:
    FixedPoint(const Schedule& schedule, const Fabric& fabric) : schedule_(schedule) {
        std::uint64_t at = 0;
        for (const auto& chunk : schedule.chunks) {
            offsets_.push_back(at);
            at += chunk.bytes.value;
        }
        for (std::size_t t = 0; t < schedule.transfers.size(); ++t) add(t, fabric);
    }

    /// The end of each transfer; empty where it never settles.
    std::vector<double> ends() {
        for (std::size_t round = 0; round <= 4 * messages_.size() + 4; ++round)
            if (!improve()) return collect();
        return {};
    }

    /// Whether some message can't be the next at both its ports before it has been sent itself.
    [[nodiscard]] bool is_stuck() const {
        std::vector<const Message*> waiting;
        for (const Message& m : messages_) waiting.push_back(&m);
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t i = 0; i < waiting.size(); ++i) {
                const Message& m = *waiting[i];
                if (std::ranges::any_of(waiting, [&](const Message* other) {
                        return feeds(*other, m) || (rank(*other) < rank(m) && meets(*other, m));
                    }))
                    continue;
                waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
                moved = true;
                break;
            }
        }
        return !waiting.empty();
    }

private:
    struct Message {
        std::size_t transfer;
        std::size_t segment;
        std::uint64_t begin;
        std::uint64_t end;
        double gap;
        double latency;
        double start = 0;
        [[nodiscard]] double delivered() const { return start + gap + latency; }
    };

    void add(std::size_t t, const Fabric& fabric) {
        const auto& transfer = schedule_.transfers[t];
        const std::uint64_t bytes = schedule_.bytes_of(transfer).value;
        const std::size_t segments = schedule_.segments_of(transfer);
        const std::uint64_t size = (bytes + segments - 1) / segments;
        for (std::size_t s = 0; s < segments; ++s) {
            const std::uint64_t begin = std::min(bytes, s * size);
            const std::uint64_t end = std::min(bytes, begin + size);
            const auto cost = fabric.cost(transfer.from, transfer.to, Bytes(end - begin));
            const std::uint64_t base = offsets_[transfer.chunk];
            messages_.push_back(
                {t, s, base + begin, base + end, cost.gap.value, cost.latency.value});
        }
    }

    [[nodiscard]] static std::pair<std::size_t, std::size_t> rank(const Message& m) {
        return std::pair(m.segment, m.transfer);
    }

    /// Whether two messages use one port.
    [[nodiscard]] bool meets(const Message& a, const Message& b) const {
        const auto& one = schedule_.transfers[a.transfer];
        const auto& other = schedule_.transfers[b.transfer];
        const bool half = schedule_.ports.duplex == Ports::Duplex::half;
        return one.from == other.from || one.to == other.to ||
               (half && (one.from == other.to || one.to == other.from));
    }

    /// Whether `earlier` delivers some of what `m` carries to its sender.
    [[nodiscard]] bool feeds(const Message& earlier, const Message& m) const {
        const auto& up = schedule_.transfers[earlier.transfer];
        const auto& down = schedule_.transfers[m.transfer];
        if (down.after == earlier.transfer) return true;
        if (earlier.transfer >= m.transfer || up.to != down.from) return false;
        if (schedule_.chunks[up.chunk].control || schedule_.chunks[down.chunk].control)
            return false;
        // What carries no bytes waits for all that brings its chunks.
        if (schedule_.bytes_of(up).value == 0 || schedule_.bytes_of(down).value == 0)
            return up.chunk < down.chunk + down.chunks && down.chunk < up.chunk + up.chunks;
        return std::max(earlier.begin, m.begin) < std::min(earlier.end, m.end);
    }

    /// The k-th latest of what occupied a port before.
    [[nodiscard]] double port_free(std::vector<double> until) const {
        if (until.size() < schedule_.ports.count) return 0;
        std::ranges::sort(until, std::greater<>());
        return until[schedule_.ports.count - 1];
    }

    bool improve() {
        bool moved = false;
        const bool half = schedule_.ports.duplex == Ports::Duplex::half;
        for (Message& m : messages_) {
            const auto& mine = schedule_.transfers[m.transfer];
            double start = 0;
            std::vector<double> out_until;
            std::vector<double> in_until;
            for (const Message& other : messages_) {
                if (feeds(other, m)) start = std::max(start, other.delivered());
                if (rank(other) >= rank(m)) continue;
                const auto& theirs = schedule_.transfers[other.transfer];
                const double arrival = other.start + other.latency;
                if (theirs.from == mine.from) {
                    out_until.push_back(other.start + other.gap);
                    start = std::max(start, other.start);
                }
                if (half && theirs.to == mine.from) {
                    out_until.push_back(other.delivered());
                    start = std::max(start, arrival);
                }
                if (theirs.to == mine.to) {
                    in_until.push_back(other.delivered());
                    start = std::max(start, arrival - m.latency);
                }
                if (half && theirs.from == mine.to) {
                    in_until.push_back(other.start + other.gap);
                    start = std::max(start, other.start - m.latency);
                }
            }
            start = std::max({start, port_free(out_until), port_free(in_until) - m.latency});
            if (start > m.start + 1e-12) {
                m.start = start;
                moved = true;
            }
        }
        return moved;
    }

    [[nodiscard]] std::vector<double> collect() const {
        std::vector<double> ends(schedule_.transfers.size(), 0);
        for (const Message& m : messages_)
            ends[m.transfer] = std::max(ends[m.transfer], m.delivered());
        return ends;
    }

    const Schedule& schedule_;
    std::vector<std::uint64_t> offsets_;
    std::vector<Message> messages_;
};

/// Every pair with its own latency and a gap that grows with size.
network::GridNetwork random_grid(Random& random, std::size_t nodes) {
    network::GridNetwork grid;
    grid.links = {nodes, nodes};
    for (std::size_t i = 0; i < nodes; ++i) {
        grid.clusters.emplace_back().name = std::string(1, static_cast<char>('a' + i));
        for (std::size_t j = 0; j < nodes; ++j) {
            if (i == j) continue;
            const double base = random.uniform(0.1, 2);
            grid.links(i, j) = network::PLogP{
                network::CostTable(Seconds(random.uniform(0, 5))),
                network::CostTable({{Bytes(0), Seconds(base)},
                                    {Bytes(100), Seconds(base + random.uniform(0, 8))}})};
        }
    }
    return grid;
}

/// A broadcast of up to three stripes, each along its own random tree, with a few needless copies,
/// messages of several stripes, cut in every way.
Schedule random_schedule(Random& random, std::size_t nodes, bool one_cut) {
    Schedule schedule = testing::hand_made(Kind::broadcast, nodes, 0, random.below(nodes));
    schedule.chunks.clear();
    const std::size_t stripes = 1 + random.below(3);
    std::uint64_t total = 0;
    const std::size_t cut = 1 + random.below(4);
    for (std::size_t c = 0; c < stripes; ++c) {
        schedule.chunks.push_back(
            testing::chunk_of(random.below(100), one_cut ? cut : 1 + random.below(4)));
        auto& chunk = schedule.chunks.back();
        if (chunk.bytes.value == 0) chunk.segments = 1;
        total += schedule.chunks.back().bytes.value;
    }
    schedule.collective.bytes = Bytes(total);
    std::vector<std::vector<std::size_t>> holders(stripes, {schedule.collective.root});
    const auto holds = [&](std::size_t node, std::size_t c) {
        return std::ranges::count(holders[c], node) > 0;
    };
    std::size_t missing = stripes * (nodes - 1);
    while (missing > 0) {
        const std::size_t c = random.below(stripes);
        const std::size_t from = holders[c][random.below(holders[c].size())];
        const std::size_t to = random.below(nodes);
        if (from == to || (holds(to, c) && random.below(8) > 0)) continue;
        auto& transfer = testing::add_copy(schedule, from, to, c);
        while (!one_cut && transfer.chunk + transfer.chunks < stripes && random.below(2) == 0 &&
               holds(from, transfer.chunk + transfer.chunks))
            ++transfer.chunks;
        for (std::size_t d = c; d < c + transfer.chunks; ++d)
            if (!holds(to, d)) {
                holders[d].push_back(to);
                --missing;
            }
        if (!one_cut && random.below(3) == 0 && schedule.bytes_of(transfer).value > 0)
            transfer.segments = 1 + random.below(5);
        if (!one_cut && random.below(8) == 0)
            for (std::size_t u = 0; u + 1 < schedule.transfers.size(); ++u)
                if (schedule.transfers[u].to == from) transfer.after = u;
    }
    return schedule;
}

void expect_ends(const schedule::Timeline& timeline, const std::vector<double>& ends, int n) {
    ASSERT_EQ(ends.size(), timeline.transfers.size()) << "it never settles, in trial " << n;
    for (std::size_t t = 0; t < ends.size(); ++t)
        ASSERT_NEAR(timeline.transfers[t].end.value, ends[t], 1e-9)
            << "transfer " << t << " of trial " << n;
}

TEST(SimulateProperty, agrees_with_the_fixed_point_of_all_constraints) {
    Random random(11);
    std::size_t stuck = 0;
    for (int n = 0; n < 1500; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        Schedule schedule = random_schedule(random, nodes, false);
        ASSERT_EQ(schedule::find_violation(schedule), std::nullopt);
        schedule.ports.count = 1 + random.below(3);
        if (random.below(3) == 0) schedule.ports = {Ports::Duplex::half, 1};
        const network::Network network(random_grid(random, nodes));
        const auto fabric = make_fabric(network);
        FixedPoint oracle(schedule, *fabric);
        if (oracle.is_stuck()) {
            ASSERT_THROW(static_cast<void>(simulate(schedule, *fabric)), InvalidError) << n;
            ++stuck;
        } else {
            expect_ends(simulate(schedule, *fabric), oracle.ends(), n);
        }
    }
    EXPECT_LT(stuck, 1000U);
    EXPECT_GT(stuck, 10U) << "deadlocks are tried as well";
}

TEST(SimulateProperty, trees_that_are_cut_alike_never_deadlock) {
    Random random(12);
    for (int n = 0; n < 500; ++n) {
        const std::size_t nodes = 1 + random.below(6);
        const Schedule schedule = random_schedule(random, nodes, true);
        const network::Network network(random_grid(random, nodes));
        ASSERT_NO_THROW(static_cast<void>(simulate(schedule, *make_fabric(network)))) << n;
    }
}

TEST(SimulateProperty, the_checker_accepts_every_timeline_of_the_simulator) {
    Random random(13);
    for (int n = 0; n < 600; ++n) {
        const std::size_t nodes = 1 + random.below(6);
        network::GridNetwork grid = random_grid(random, nodes);
        if (nodes > 2 && random.below(2) == 0)
            grid.shared = {{"x", BytesPerSecond(random.uniform(1, 20)), {{0, 1}, {1, 2}, {2, 0}}}};
        const network::Network network(grid);
        const auto fabric = make_fabric(network);
        schedule::StatedPlan stated;
        stated.plan.schedule = random_schedule(random, nodes, true);
        stated.plan.timeline = simulate(stated.plan.schedule, *fabric);
        stated.has_times = stated.has_makespan = true;
        ASSERT_EQ(check(stated, *fabric).violation.value_or(""), "") << n;
    }
}

TEST(SimulateProperty, capacities_that_never_bind_change_nothing_where_latencies_are_alike) {
    Random random(14);
    for (int n = 0; n < 600; ++n) {
        const std::size_t nodes = 2 + random.below(5);
        network::GridNetwork grid = random_grid(random, nodes);
        for (std::size_t i = 0; i < nodes; ++i)
            for (std::size_t j = 0; j < nodes; ++j)
                if (i != j) grid.links(i, j)->latency = network::CostTable(Seconds(1.5));
        const Schedule schedule = random_schedule(random, nodes, true);
        const network::Network plain(grid);
        network::SharedCapacity& wide = grid.shared.emplace_back();
        wide = {"wide", BytesPerSecond(1e12), {}};
        for (std::size_t j = 1; j < nodes; ++j) wide.pairs.emplace_back(0, j);
        const network::Network shared(grid);
        std::vector<double> ends;
        for (const auto& times : simulate(schedule, *make_fabric(plain)).transfers)
            ends.push_back(times.end.value);
        expect_ends(simulate_fluid(schedule, *make_fabric(shared)), ends, n);
    }
}

TEST(SimulateProperty, sharing_never_ends_before_queueing_alone_does) {
    Random random(15);
    for (int n = 0; n < 300; ++n) {
        const std::size_t nodes = 3 + random.below(4);
        network::GridNetwork grid = random_grid(random, nodes);
        const Schedule schedule = random_schedule(random, nodes, true);
        const network::Network plain(grid);
        const double alone = simulate(schedule, *make_fabric(plain)).makespan.value;
        grid.shared = {{"x", BytesPerSecond(random.uniform(1, 40)), {{0, 1}, {1, 2}, {2, 0}}}};
        const network::Network shared(grid);
        ASSERT_GE(simulate(schedule, *make_fabric(shared)).makespan.value, alone - 1e-9) << n;
    }
}

TEST(BoundsProperty, no_order_of_whole_messages_beats_the_bound) {
    Random random(16);
    const testing::GridRanges shapes[] = {
        {},
        {.latency = {0, 1}, .gap = {0, 1}, .inner = {0, 0.1}},
        {.latency = {0, 0.01}, .gap = {1, 1.1}, .inner = {0, 0.01}},
    };
    double closest = infinity;
    for (int n = 0; n < 400; ++n) {
        auto problem =
            testing::random_problem(random, 1 + random.below(5), shapes[random.below(3)]);
        problem.ports = 1 + random.below(4) / 2;
        const network::Network network = testing::network_of(problem);
        std::vector<Seconds> inner;
        for (const double time : problem.inner) inner.emplace_back(time);
        const double bound =
            broadcast_bound(*make_fabric(network), problem.root, Bytes(1000),
                            schedule::BoundScope::whole_message, inner, problem.ports)
                .value;
        const double optimum = testing::least_makespan_of_all(problem);
        ASSERT_LE(bound, optimum + 1e-9) << n;
        if (bound > 0) closest = std::min(closest, optimum / bound);
    }
    EXPECT_LT(closest, 1 + 1e-9) << "it is met now and then";
}

TEST(BoundsProperty, no_pipeline_and_no_set_of_trees_beats_the_bound_of_any) {
    Random random(17);
    double closest = infinity;
    for (int n = 0; n < 3000; ++n) {
        const std::size_t nodes = 2 + random.below(4);
        const network::Network network(random_grid(random, nodes));
        const auto fabric = make_fabric(network);
        Schedule schedule = random_schedule(random, nodes, true);
        schedule.ports.count = 1 + random.below(4) / 2;
        const double bound =
            broadcast_bound(*fabric, schedule.collective.root, schedule.collective.bytes,
                            schedule::BoundScope::any, {}, schedule.ports.count)
                .value;
        const double time = simulate(schedule, *fabric).makespan.value;
        ASSERT_LE(bound, time + 1e-9) << n;
        if (bound > 0) closest = std::min(closest, time / bound);
    }
    EXPECT_LT(closest, 1.5);
}

}  // namespace
}  // namespace espalier::simulate
