#include "schedule/ring_json.hpp"
#include "core/infinity.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::schedule {
namespace {

using network::LinksNetwork;
using ::testing::HasSubstr;

/// What the format's contract asks for, and nothing else.
const std::string contract =
    R"({"format":"espalier-ring","version":1,"step_time":3,"lower_bound":2,"optimal":false,
 "ring":["P1","P4"],"shares":{"P1":0.6,"P4":0.4},
 "paths":[{"from":"P1","to":"P4","links":["a","c"],"bandwidth":5}]})";

/// The one line that is said of the text after one part of it was replaced.
std::string refusal(const std::string& part, const std::string& replacement) {
    std::string text = contract;
    text.replace(text.find(part), part.size(), replacement);
    try {
        (void)parse_ring(text, "ring.json");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(RingJson, reads_what_the_contract_asks_for) {
    const StatedRing ring = parse_ring(contract, "ring.json");
    EXPECT_EQ(ring.order, (std::vector<std::string>{"P1", "P4"}));
    EXPECT_EQ(ring.shares[1], std::pair(std::string("P4"), 0.4));
    ASSERT_EQ(ring.paths.size(), 1U);
    EXPECT_EQ(ring.paths[0].links, (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(ring.paths[0].bandwidth, 5);
    EXPECT_EQ(ring.step_time, 3);
    EXPECT_FALSE(ring.work || ring.exchange);
    EXPECT_EQ(ring.sharing, RingSharing::reserved);
}

TEST(RingJson, refuses_with_one_line_that_names_file_and_field) {
    EXPECT_EQ(refusal("espalier-ring", "espalier-rings"),
              "ring.json: format: 'espalier-ring' was expected, not 'espalier-rings'");
    EXPECT_EQ(refusal(R"("step_time":3,)", ""), "ring.json: step_time: is missing");
    EXPECT_EQ(refusal(R"("step_time":3,)", R"("step_time":3,"steps":1,)"),
              "ring.json: steps: unknown field");
    EXPECT_EQ(refusal(R"("bandwidth":5)", R"("bandwidth":0)"),
              "ring.json: paths[0].bandwidth: 0 where a positive number was expected");
    EXPECT_EQ(refusal(R"("bandwidth":5)", R"("bandwidth":null)"),
              "ring.json: paths[0].bandwidth: a number was expected, not null");
    EXPECT_EQ(refusal(R"("bandwidth":5)", R"("bandwidth":5,"latency":0)"),
              "ring.json: paths[0].latency: unknown field");
    EXPECT_EQ(refusal("0.4}", "-0.4}"), "ring.json: shares.P4: -0.4 is negative");
    EXPECT_EQ(refusal(R"("P4":0.4)", R"("P1":0.4)"), "ring.json: P1: stands twice in one object");
    EXPECT_EQ(refusal(R"(["P1","P4"])", "[]"), "ring.json: ring: no host");
    EXPECT_THAT(refusal("false", R"(false,"sharing":"free")"),
                HasSubstr("sharing: 'free' is not reserved or fair"));
    EXPECT_THAT(refusal("false", R"(false,"work":0)"), HasSubstr("work: 0 where"));
}

TEST(RingJson, free_keys_and_the_origin_are_not_looked_at) {
    EXPECT_EQ(refusal("false", R"(false,"x-mine":[1],"measured":{"by":"me"})"), "");
}

TEST(RingJson, what_is_written_is_read_again) {
    LinksNetwork network;
    network.nodes = {{"a", 1.0, 0}, {"r", std::nullopt, 0}, {"x-b", 2.0, 0}};
    network.links = {{"l", LinksNetwork::Ends{0, 1}, BytesPerSecond(1), Seconds(0)},
                     {"m", LinksNetwork::Ends{1, 2}, BytesPerSecond(1), Seconds(0)}};
    const Ring ring{.work = 7,
                    .exchange = 0.1,
                    .sharing = RingSharing::fair,
                    .order = {2, 0},
                    .shares = {1.0 / 3, 2.0 / 3},
                    .paths = {{2, 0, {1, 0}, 0.1},
                              {2, 0, {}, infinity},
                              {0, 2, {0, 1}, 0.3},
                              {0, 2, {0, 1}, 0.4}},
                    .step_time = 5.1,
                    .lower_bound = 4.9,
                    .optimal = true,
                    .scope = "all-paths",
                    .algorithm = "optimal",
                    .refinement = "max-min",
                    .network = "sha256:0"};
    const StatedRing read = parse_ring(to_text(to_json(ring, network)), "ring.json");
    EXPECT_EQ(read.order, (std::vector<std::string>{"x-b", "a"}));
    EXPECT_EQ(read.shares,
              (std::vector<std::pair<std::string, double>>{{"x-b", 1.0 / 3}, {"a", 2.0 / 3}}));
    ASSERT_EQ(read.paths.size(), 4U);
    EXPECT_EQ(read.paths[0].from, "x-b");
    EXPECT_EQ(read.paths[0].to, "a");
    EXPECT_EQ(read.paths[0].links, (std::vector<std::string>{"m", "l"}));
    EXPECT_EQ(read.paths[1].bandwidth, infinity);
    EXPECT_EQ(read.paths[3].bandwidth, 0.4);
    EXPECT_EQ(read.work, 7);
    EXPECT_EQ(read.exchange, 0.1);
    EXPECT_EQ(read.sharing, RingSharing::fair);
    EXPECT_EQ(read.step_time, 5.1);
    EXPECT_EQ(read.lower_bound, 4.9);
    EXPECT_TRUE(read.optimal);
    EXPECT_EQ(read.scope, "all-paths");
    EXPECT_EQ(read.algorithm, "optimal");
    EXPECT_EQ(read.refinement, "max-min");
    EXPECT_EQ(read.network, "sha256:0");
}

}  // namespace
}  // namespace espalier::schedule
