// Bounds of collectives against all schedules of tiny networks, and against many random ones of
// small networks, each cut, relayed and ordered in some way: none beats them.

#include "plan/collective_bound.hpp"
#include "core/random.hpp"
#include "network/network.hpp"
#include "schedule/validate.hpp"
#include "simulate/fabric.hpp"
#include "simulate/simulate.hpp"
#include "support/small_schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace espalier::plan {
namespace {

using network::GridNetwork;
using network::LinksNetwork;
using network::Network;
using network::PairwiseNetwork;
using network::PLogP;
using schedule::Collective;
using schedule::Kind;
using schedule::Schedule;

constexpr Kind kinds[] = {Kind::broadcast, Kind::reduce,  Kind::allreduce,
                          Kind::scatter,   Kind::gather,  Kind::allgather,
                          Kind::alltoall,  Kind::barrier, Kind::reduce_scatter};

/// Of messages between 1 and 1,000 bytes; some start-ups and latencies are nothing.
PLogP random_link(Random& random) {
    const double startup = random.below(3) == 0 ? 0 : random.uniform(0, 2);
    const double latency = random.below(3) == 0 ? 0 : random.uniform(0, 5);
    const double rate = random.uniform(50, 500);
    return {network::CostTable(Seconds(latency)),
            network::CostTable({{Bytes(1), Seconds(startup + 1 / rate)},
                                {Bytes(1000), Seconds(startup + 1000 / rate)}})};
}

/// Clusters of one node. Some pairs share a capacity, all that one sends in all, or a site's
/// uplink.
Network random_grid(Random& random, std::size_t nodes) {
    GridNetwork grid;
    grid.links = {nodes, nodes};
    for (std::size_t a = 0; a < nodes; ++a) {
        grid.clusters.emplace_back().name = "c" + std::to_string(a);
        for (std::size_t b = 0; b < nodes; ++b)
            if (a != b) grid.links(a, b) = random_link(random);
    }
    for (std::size_t c = random.below(4); c > 0; --c) {
        network::SharedCapacity shared{
            "s" + std::to_string(c), BytesPerSecond(random.uniform(30, 400)), {}};
        const std::size_t form = random.below(3);
        const std::size_t inside = random.below(nodes);
        for (std::size_t a = 0; a < nodes; ++a)
            for (std::size_t b = 0; b < nodes; ++b)
                if (a != b && (form == 0   ? a == inside
                               : form == 1 ? (a == inside) != (b == inside)
                                           : random.below(2) == 0))
                    shared.pairs.emplace_back(a, b);
        if (!shared.pairs.empty()) grid.shared.push_back(std::move(shared));
    }
    return Network(std::move(grid));
}

Network random_pairwise(Random& random, std::size_t nodes) {
    PairwiseNetwork pairwise;
    pairwise.startup = {nodes, nodes};
    pairwise.bandwidth = {nodes, nodes};
    const bool capped = random.below(2) == 0;
    for (std::size_t a = 0; a < nodes; ++a) {
        pairwise.nodes.push_back("p" + std::to_string(a));
        for (std::size_t b = 0; b < nodes; ++b) {
            if (a == b) continue;
            pairwise.startup(a, b) = Seconds(random.uniform(0, 3));
            pairwise.bandwidth(a, b) = BytesPerSecond(random.uniform(50, 500));
        }
        if (!capped) continue;
        pairwise.egress.emplace_back(random.uniform(50, 500));
        pairwise.ingress.emplace_back(random.uniform(50, 500));
    }
    return Network(std::move(pairwise));
}

/// A ring of hosts with a chord: routes share links.
Network random_links(Random& random, std::size_t nodes) {
    LinksNetwork links;
    for (std::size_t a = 0; a < nodes; ++a) links.nodes.push_back({"h" + std::to_string(a), 1, 0});
    const auto connect = [&](std::size_t a, std::size_t b) {
        constexpr LinksNetwork::Kind all[] = {LinksNetwork::Kind::bidirectional,
                                              LinksNetwork::Kind::backbone};
        links.links.push_back({"l" + std::to_string(links.links.size()), LinksNetwork::Ends{a, b},
                               BytesPerSecond(random.uniform(50, 500)),
                               Seconds(random.uniform(0, 3)), all[random.below(4) / 3]});
    };
    for (std::size_t a = 0; a < nodes; ++a) connect(a, (a + 1) % nodes);
    connect(0, nodes / 2);
    return Network(std::move(links));
}

Network random_network(Random& random, std::size_t nodes) {
    switch (random.below(4)) {
        case 0:
            return random_pairwise(random, nodes);
        case 1:
            return random_links(random, nodes);
        default:
            return random_grid(random, nodes);
    }
}

Collective random_collective(Random& random, Kind kind, std::size_t nodes) {
    Collective collective;
    collective.kind = kind;
    collective.nodes = nodes;
    collective.root = random.below(nodes);
    if (kind == Kind::barrier) return collective;
    collective.bytes = Bytes(1 + random.below(1000));
    if (random.below(2) == 0) return collective;
    if (schedule::has_blocks(kind)) {
        std::vector<Bytes> blocks;
        for (std::size_t node = 0; node < nodes; ++node)
            blocks.emplace_back(random.below(collective.bytes.value + 1));
        collective.bytes = *std::ranges::max_element(blocks);
        collective.blocks = std::make_shared<const std::vector<Bytes>>(std::move(blocks));
    } else if (kind == Kind::alltoall) {
        Matrix<Bytes> sizes(nodes, nodes);
        for (std::size_t a = 0; a < nodes; ++a)
            for (std::size_t b = 0; b < nodes; ++b)
                if (a != b) sizes(a, b) = Bytes(random.below(collective.bytes.value + 1));
        collective.sizes = std::make_shared<const Matrix<Bytes>>(std::move(sizes));
    }
    return collective;
}

struct Tried {
    double bound = 0;
    double best = 1e300;
    std::size_t schedules = 0;

    void look_at(const Schedule& schedule, const simulate::Fabric& fabric) {
        best = std::min(best, simulate::simulate(schedule, fabric).makespan.value);
        ++schedules;
    }
};

/// Mean of the bound over the best that was found, for each kind.
using Closeness = std::map<Kind, std::pair<double, int>>;

double mean(const Closeness& closeness, Kind kind) {
    const auto& [sum, count] = closeness.at(kind);
    return sum / count;
}

void judge(const Tried& tried, Kind kind, Closeness& closeness) {
    ASSERT_GT(tried.schedules, 0U);
    EXPECT_LE(tried.bound, tried.best * (1 + 1e-9));
    auto& [sum, count] = closeness[kind];
    sum += tried.bound / tried.best;
    ++count;
}

TEST(CollectiveBoundProperty, no_schedule_of_all_that_there_are_for_three_nodes_beats_it) {
    Random random(71);
    Closeness closeness;
    const std::map<Kind, std::size_t> longest{{Kind::broadcast, 2}, {Kind::reduce, 3},
                                              {Kind::allreduce, 5}, {Kind::scatter, 3},
                                              {Kind::gather, 3},    {Kind::barrier, 5}};
    for (int n = 0; n < 40; ++n)
        for (const auto& [kind, most] : longest) {
            const Network network = random_network(random, 3);
            const auto fabric = simulate::make_fabric(network);
            const Collective collective = random_collective(random, kind, 3);
            schedule::Ports ports = fabric->ports();
            ports.count = 1 + random.below(2);
            SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(n) + " on " +
                         std::string(network.model_name()));
            Tried tried;
            tried.bound = collective_bound(*fabric, collective, ports.count).value;
            test::for_every_schedule(
                collective, test::pieces_of(collective, 1), ports, most,
                [&](const Schedule& schedule) { tried.look_at(schedule, *fabric); });
            ASSERT_NO_FATAL_FAILURE(judge(tried, kind, closeness));
        }
    // Most of these are a few short messages, and what is whole is not so much longer than what
    // could be cut.
    EXPECT_GT(mean(closeness, Kind::broadcast), 0.7);
    EXPECT_GT(mean(closeness, Kind::scatter), 0.8);
    EXPECT_GT(mean(closeness, Kind::barrier), 0.7);
    EXPECT_GT(mean(closeness, Kind::allreduce), 0.45);
    for (const auto& [kind, found] : closeness)
        RecordProperty(std::string(name_of(kind)), std::to_string(found.first / found.second));
}

TEST(CollectiveBoundProperty, no_random_schedule_in_pieces_beats_it) {
    Random random(72);
    Closeness closeness;
    for (int n = 0; n < 12; ++n)
        for (const Kind kind : kinds) {
            const std::size_t nodes = 3 + random.below(3);
            const Network network = random_network(random, nodes);
            const auto fabric = simulate::make_fabric(network);
            const Collective collective = random_collective(random, kind, nodes);
            schedule::Ports ports = fabric->ports();
            ports.count = 1 + random.below(2);
            SCOPED_TRACE(std::string(name_of(kind)) + " " + std::to_string(n) + " on " +
                         std::string(network.model_name()));
            Tried tried;
            tried.bound = collective_bound(*fabric, collective, ports.count).value;
            for (int trial = 0; trial < 60; ++trial) {
                const auto chunks = test::pieces_of(collective, 1 + random.below(4));
                const Schedule schedule = test::random_schedule(random, collective, chunks, ports);
                if (trial == 0) {
                    const auto violation = schedule::find_violation(schedule);
                    ASSERT_EQ(violation.value_or(schedule::Violation{}).what, "");
                }
                tried.look_at(schedule, *fabric);
            }
            ASSERT_NO_FATAL_FAILURE(judge(tried, kind, closeness));
        }
}

}  // namespace
}  // namespace espalier::plan
