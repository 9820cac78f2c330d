#include "core/infinity.hpp"
#include "core/random.hpp"
#include "network/convert.hpp"
#include "network/grid_view.hpp"
#include "plan/collective_bound.hpp"
#include "plan/job.hpp"
#include "simulate/rank_fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace espalier::plan {
namespace {

using network::LinksNetwork;

/// A connected graph of hosts, whose links are shared by both directions.
LinksNetwork random_graph(Random& random, std::size_t hosts) {
    LinksNetwork network;
    for (std::size_t i = 0; i < hosts; ++i) network.nodes.push_back({"h" + std::to_string(i), 1.0});
    const auto link = [&](std::size_t a, std::size_t b) {
        network.links.push_back({std::to_string(a) + "-" + std::to_string(b),
                                 LinksNetwork::Ends{a, b}, BytesPerSecond(random.uniform(1e6, 4e6)),
                                 Seconds(1e-6), LinksNetwork::Kind::bidirectional});
    };
    // A tree, and what chance adds; routes take one link between two hosts, so there is no second.
    for (std::size_t b = 1; b < hosts; ++b) {
        const std::size_t parent = random.below(b);
        for (std::size_t a = 0; a < b; ++a)
            if (a == parent || random.uniform() < 0.5) link(a, b);
    }
    return network;
}

/// The bytes a second that spanning trees can carry in all (Tutte; Nash-Williams): the least, over
/// all partitions into p parts, of what crosses between parts over p - 1.
double strength(const LinksNetwork& network) {
    const std::size_t hosts = network.nodes.size();
    std::vector<std::size_t> part_of(hosts, 0);
    double least = infinity;
    const auto extend = [&](auto& self, std::size_t next, std::size_t parts) -> void {
        if (next < hosts) {
            for (std::size_t part = 0; part <= parts; ++part) {
                part_of[next] = part;
                self(self, next + 1, std::max(parts, part + 1));
            }
            return;
        }
        if (parts < 2) return;
        double crossing = 0;
        for (const auto& link : network.links)
            if (part_of[link.ends->from] != part_of[link.ends->to])
                crossing += link.bandwidth.value;
        least = std::min(least, crossing / static_cast<double>(parts - 1));
    };
    extend(extend, 0, 0);
    return least;
}

TEST(CollectiveBound, is_what_spanning_trees_of_shared_links_can_carry) {
    constexpr std::uint64_t bytes = 10'000'000;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed);
        const std::size_t hosts = 2 + random.below(6);
        const LinksNetwork network = random_graph(random, hosts);
        const auto grid = to_grid(network);
        const network::GridView view(grid);
        const auto fabric = simulate::make_rank_fabric(view, Job::everywhere(view).places);
        schedule::Collective collective;
        collective.nodes = hosts;
        collective.bytes = Bytes(bytes);
        const double needed = static_cast<double>(bytes) / strength(network);
        for (const auto kind : {schedule::Kind::broadcast, schedule::Kind::reduce}) {
            collective.kind = kind;
            collective.root = random.below(hosts);
            const double bound = collective_bound(*fabric, collective, 16).value;
            EXPECT_LE(bound, needed * (1 + 1e-3)) << seed;
            EXPECT_GE(bound, needed * 0.95) << seed;
        }
        // Each of its blocks needs a spanning tree.
        const double of_all = needed * static_cast<double>(hosts);
        for (const auto kind : {schedule::Kind::allgather, schedule::Kind::reduce_scatter}) {
            collective.kind = kind;
            const double bound = collective_bound(*fabric, collective, 16).value;
            EXPECT_LE(bound, of_all * (1 + 1e-3)) << seed;
            EXPECT_GE(bound, of_all * 0.95) << seed;
        }
    }
}

}  // namespace
}  // namespace espalier::plan
