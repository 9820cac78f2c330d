#include "core/json_reader.hpp"
#include "directory/assemble.hpp"
#include "directory/memory_source.hpp"

#include <gmock/gmock.h>

namespace espalier::directory {
namespace {

const Pair there{"a", "b"};
const Pair back{"b", "a"};

/// One cluster: 1 kB take 1 ms, 1 MB 1 s, from a to b alone.
std::vector<Measurement> pair_alone() {
    return {measured(0, there, Latency{1e-3}), measured(0, back, Latency{1e-3}),
            measured(0, there, Gap{1e-3, 1000}), measured(0, there, Gap{1, 1000000})};
}

network::Network with(std::vector<Measurement> more) {
    std::vector<Measurement> all = pair_alone();
    all.insert(all.end(), more.begin(), more.end());
    return assemble(MemorySource(std::move(all)), "test", second(100),
                    {.rule = {}, .model = Model::grid});
}

double local_gap(const network::Network& network, std::uint64_t size) {
    const network::Cluster& cluster = network.grid()->clusters.at(0);
    return cluster.local()->gap(Bytes(size)).value;
}

TEST(TrafficBothWays, stretches_all_gaps_inside_a_cluster) {
    const auto network = with({measured(1, there, Gap{1.5e-3, 1000}, {back}),
                               measured(1, back, Gap{1.5e-3, 1000}, {there})});
    EXPECT_DOUBLE_EQ(local_gap(network, 1000), 1.5e-3);
    EXPECT_DOUBLE_EQ(local_gap(network, 1000000), 1.5);
    EXPECT_TRUE(network.grid()->shared.empty());
    EXPECT_FALSE(network.measured().contains("warnings"));
    EXPECT_DOUBLE_EQ(local_gap(with({}), 1000), 1e-3);
}

TEST(TrafficBothWays, counts_as_it_was_last_and_never_shortens) {
    const auto twice = with({measured(1, there, Gap{1.5e-3, 1000}, {back}),
                             measured(2, there, Gap{1.2e-3, 1000}, {back})});
    EXPECT_DOUBLE_EQ(local_gap(twice, 1000), 1.2e-3);
    const auto faster = with({measured(1, there, Gap{0.5e-3, 1000}, {back})});
    EXPECT_DOUBLE_EQ(local_gap(faster, 1000), 1e-3);
    const auto as_rate = with({measured(1, there, Bandwidth{0.5e6}, {back})});
    EXPECT_DOUBLE_EQ(local_gap(as_rate, 1000), 2e-3);
}

TEST(TrafficBothWays, is_of_two_directions_and_nothing_else) {
    const auto others = with({measured(1, there, Gap{1.5e-3, 1000}, {{"b", "c"}}),
                              measured(1, there, Gap{1.5e-3, 1000}, {back, {"c", "a"}}),
                              measured(1, back, Gap{1.5e-3, 1000}, {there})});
    EXPECT_DOUBLE_EQ(local_gap(others, 1000), 1e-3);
}

}  // namespace
}  // namespace espalier::directory
