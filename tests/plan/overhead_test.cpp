#include "plan/overhead.hpp"

#include "network/json.hpp"
#include "simulate/rank_fabric.hpp"
#include "support/racing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace espalier::plan {
namespace {

using schedule::Kind;

/// Two clusters of four; a message of a byte takes 1 us of its sender.
network::Network network_of(const std::string& message_s) {
    const std::string gap = R"({"1": 1e-6, "1000001": 0.100001})";
    const std::string cluster =
        R"("size": 4, "egress_Bps": 1e7, "ingress_Bps": 1e7, "local": {"latency_s": 1e-5, "gap_s": )" +
        gap + "}}";
    return network::parse_network(
        R"({"format": "espalier-network", "version": 1, "model": "grid", "clusters": [)"
        R"({"name": "a", )" +
            cluster + R"(, {"name": "b", )" + cluster +
            R"(], "latency_s": [[0, 5e-3], [5e-3, 0]], "gap_s": [[0, )" + gap + "], [" + gap +
            R"(, 0]], "message_s": )" + message_s + "}",
        "test");
}

TEST(MessageOverhead, counts_the_busiest_rank_and_on_shared_processors_all_messages) {
    const network::Network network = network_of("1e-4");
    const network::GridView view(*network.grid());
    const auto fabric = simulate::make_rank_fabric(view, Job::everywhere(view).places);
    const MessageOverhead overhead = message_overhead(*fabric);
    EXPECT_DOUBLE_EQ(overhead.of_rank.value, 2e-6);
    EXPECT_DOUBLE_EQ(overhead.of_all.value, 1e-4);

    // Two segments to each of two others: four messages of the root.
    schedule::Schedule schedule;
    schedule.nodes.resize(8);
    schedule.chunks.push_back({Bytes(100), 2});
    schedule.transfers.push_back({0, 1, 0});
    schedule.transfers.push_back({0, 2, 0});
    EXPECT_DOUBLE_EQ(overhead_of(schedule, overhead).value, 4 * 2e-6 + 4 * 1e-4);
    EXPECT_DOUBLE_EQ(processor_time(schedule, fabric->message_time()).value, 4 * 1e-4);
    EXPECT_DOUBLE_EQ(segment_overhead(overhead, 8).value, 4 * 2e-6 + 8 * 1e-4);
}

TEST(MessageOverhead, on_shared_processors_makes_plans_have_fewer_messages) {
    const auto messages = [](const std::string& message_s) {
        const network::Network network = network_of(message_s);
        const network::GridView view(*network.grid());
        Request request;
        request.kind = Kind::allreduce;
        request.bytes = Bytes(100'000);
        const auto plan = plan_best(Job::everywhere(view), request);
        return processor_time(plan.schedule, Seconds(1)).value;
    };
    EXPECT_LT(messages("5e-4"), 0.7 * messages("0"));
}

}  // namespace
}  // namespace espalier::plan
