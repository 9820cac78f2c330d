#include "simulate/host_caps.hpp"

#include "network/json.hpp"
#include "simulate/simulate.hpp"

#include <gmock/gmock.h>

namespace espalier::simulate {
namespace {

/// Three nodes; messages from `a` have 1 kB/s to `b` and 4 kB/s to `c`, all others 2 kB/s.
network::Network three_nodes() {
    return network::parse_network(
        R"({"format": "espalier-network", "version": 1, "model": "pairwise",
            "nodes": [{"name": "a"}, {"name": "b"}, {"name": "c"}],
            "startup_s": [[0, 0, 0], [0, 0, 0], [0, 0, 0]],
            "bandwidth_Bps": [[0, 1000, 4000], [2000, 0, 2000], [2000, 2000, 0]]})",
        "test");
}

schedule::Schedule sends_at_once(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    schedule::Schedule schedule;
    schedule.collective.kind = schedule::Kind::alltoall;
    schedule.collective.nodes = 3;
    schedule.nodes = {"a", "b", "c"};
    schedule.ports.count = 3;
    for (const auto& [from, to] : pairs) {
        schedule.chunks.push_back({Bytes(4000), 1, from, to});
        schedule.transfers.push_back({from, to, schedule.chunks.size() - 1});
    }
    return schedule;
}

double makespan(const schedule::Schedule& schedule, std::vector<std::size_t> hosts) {
    const network::Network network = three_nodes();
    const auto fabric = make_fabric(network);
    const Matrix<Bytes> sizes(3, 3, Bytes(4000));
    const auto capped = with_host_caps(*fabric, std::move(hosts), sizes);
    return simulate(schedule, *capped).makespan.value;
}

TEST(HostCaps, leave_a_message_alone_as_fast_as_it_was) {
    EXPECT_DOUBLE_EQ(makespan(sends_at_once({{0, 1}}), {0, 1, 2}), 4);
    EXPECT_DOUBLE_EQ(makespan(sends_at_once({{0, 2}}), {0, 1, 2}), 1);
}

TEST(HostCaps, are_the_most_that_one_message_has) {
    // 4 kB/s leave `a`: 1 for b, 3 for c until that is over.
    EXPECT_NEAR(makespan(sends_at_once({{0, 1}, {0, 2}}), {0, 1, 2}), 4, 1e-9);
    // 2 kB/s reach b.
    EXPECT_NEAR(makespan(sends_at_once({{0, 1}, {2, 1}}), {0, 1, 2}), 4, 1e-9);
    // 2 kB/s leave b.
    EXPECT_NEAR(makespan(sends_at_once({{1, 0}, {1, 2}}), {0, 1, 2}), 4, 1e-9);
}

TEST(HostCaps, do_not_count_what_stays_on_a_host) {
    // a and c are one host: only what goes to b leaves it.
    EXPECT_NEAR(makespan(sends_at_once({{1, 0}, {1, 2}, {2, 0}}), {0, 1, 0}), 4, 1e-9);
    EXPECT_NEAR(makespan(sends_at_once({{0, 2}, {2, 0}, {0, 1}}), {0, 1, 0}), 4, 1e-9);
    const network::Network network = three_nodes();
    const auto fabric = make_fabric(network);
    const Matrix<Bytes> sizes(3, 3, Bytes(4000));
    const auto capped = with_host_caps(*fabric, {0, 1, 0}, sizes);
    EXPECT_TRUE(capped->draws(0, 2).empty());
    EXPECT_EQ(capped->draws(0, 1).size(), 2u);
}

}  // namespace
}  // namespace espalier::simulate
