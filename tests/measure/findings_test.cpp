#include "measure/method/findings.hpp"

#include "measure/method/follow_streams.hpp"

#include "core/json_reader.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>

namespace espalier::measure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LinkCosts affine(double latency, double bandwidth) {
    LinkCosts costs;
    costs.points = {{1, latency, 1 / bandwidth}, {1 << 20, latency, 1048576 / bandwidth}};
    costs.spread = 0.01;
    return costs;
}

/// Two clusters, of two hosts and of one with two ranks.
Findings small_job() {
    Findings findings;
    findings.hosts = {{"a-1", {0}}, {"b", {1, 3}}, {"a-2", {2}}};
    findings.clusters = {{0, 2}, {1}};
    findings.latencies = LatencyMatrix(3);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (i + j != 3) findings.latencies.at(i, j) = 1e-3;
    findings.surveys = {{LinkKind::inside, 0, 0, affine(5e-5, 1e8)},
                        {LinkKind::within_node, 1, 1, affine(1e-6, 1e9)},
                        {LinkKind::between, 0, 1, affine(1e-2, 1e7)},
                        {LinkKind::between, 1, 0, affine(1e-2, 2e7)}};
    findings.ranks = 4;
    findings.tolerance = 0.2;
    findings.budget = Seconds(10);
    findings.taken = Seconds(3);
    findings.at = "2026-11-21T00:00:00Z";
    findings.mpi = "some MPI";
    return findings;
}

TEST(Findings, become_a_grid_with_its_hosts_in_rank_order) {
    const network::Network network = to_network(small_job());
    const auto& grid = *network.grid();
    ASSERT_EQ(grid.size(), 2U);
    EXPECT_EQ(grid.clusters[0].name, "a");
    EXPECT_THAT(grid.clusters[0].nodes, ElementsAre("a-1", "a-2"));
    EXPECT_DOUBLE_EQ(grid.clusters[0].local()->latency(Bytes(1)).value, 5e-5);
    EXPECT_EQ(grid.clusters[1].name, "b");
    EXPECT_EQ(grid.clusters[1].local(), nullptr);
    EXPECT_TRUE(grid.clusters[1].within_node.has_value());
    EXPECT_NEAR(grid.links(0, 1)->gap(Bytes(1000)).value, 1e-4, 1e-9);
    EXPECT_NEAR(grid.links(1, 0)->gap(Bytes(1000)).value, 5e-5, 1e-9);
    // What nodes send and receive in all is what the fastest of their messages has.
    EXPECT_NEAR(grid.clusters[0].egress->value, 1e8, 1);
    EXPECT_NEAR(grid.clusters[1].egress->value, 2e7, 1);
    EXPECT_NEAR(grid.clusters[1].ingress->value, 1e7, 1);
    EXPECT_EQ(network.measured().at("skipped_pairs"), 1);
    EXPECT_EQ(network.measured().at("spread").at(0).at(1), 0.01);
    // With what the model leaves out.
    EXPECT_DOUBLE_EQ(*grid.links(0, 1)->spread, 0.11);
    EXPECT_DOUBLE_EQ(*grid.clusters[0].local()->spread, 0.11);
    EXPECT_TRUE(network.measured().at("warnings").empty());
}

TEST(Findings, survive_being_written_and_read) {
    const network::Network network = to_network(small_job());
    const auto again = network::parse_network(network::to_json(network).dump(), "text");
    EXPECT_EQ(network::fingerprint(again), network::fingerprint(network));
    EXPECT_EQ(again.measured(), network.measured());
}

TEST(Findings, of_one_direction_stand_for_both_if_symmetric) {
    Findings findings = small_job();
    findings.surveys.pop_back();
    findings.symmetric = true;
    const network::Network network = to_network(findings);
    EXPECT_EQ(network.grid()->links(0, 1), network.grid()->links(1, 0));
}

TEST(Findings, name_the_links_that_nobody_had_time_for) {
    Findings findings = small_job();
    findings.surveys.pop_back();
    findings.surveys.back().costs.complete = false;
    const network::Network network = to_network(findings);
    EXPECT_FALSE(network.grid()->links(1, 0).has_value());
    EXPECT_THAT(network.measured().at("warnings").get<std::vector<std::string>>(),
                ElementsAre(HasSubstr("1 of the 2 links"), HasSubstr("1 of the 3 links")));
}

TEST(Findings, are_summed_up_in_one_line) {
    EXPECT_EQ(summary(to_network(small_job())),
              "2 clusters of 3 hosts, 4 ranks, measured in 3 s of 10 s");
}

TEST(SurveyRecords, travel_as_bytes) {
    const auto sent = small_job().surveys;
    const auto received = unpack_records(pack(sent));
    ASSERT_EQ(received.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
        EXPECT_EQ(received[i].kind, sent[i].kind);
        EXPECT_EQ(received[i].from, sent[i].from);
        EXPECT_EQ(received[i].to, sent[i].to);
        EXPECT_EQ(fit(received[i].costs), fit(sent[i].costs));
        EXPECT_EQ(received[i].costs.spread, sent[i].costs.spread);
    }
}

TEST(Findings, name_what_clusters_share) {
    Findings findings = small_job();
    findings.hosts.push_back({"c", {4}});
    findings.clusters.push_back({3});
    findings.latencies = LatencyMatrix(4);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < i; ++j) findings.latencies.at(i, j) = 1e-3;
    using Place = Bottleneck::Place;
    findings.bottlenecks = {{{0, 1}, {2}, false, Place::out, 9e6, 18e6, 3},
                            {{0, 1}, {2}, false, Place::in, 8e6, 18e6, 2},
                            {{2}, {0, 1}, true, Place::out, 7e6, 14e6, 2},
                            {{0}, {1}, false, Place::between, 6e6, 12e6, 2},
                            {{0}, {1}, true, Place::between, 5e6, 12e6, 2}};
    const network::Network network = to_network(findings);
    const auto& shared = network.grid()->shared;
    std::vector<std::string> names;
    for (const auto& capacity : shared) names.push_back(capacity.name);
    EXPECT_THAT(names,
                ElementsAre("a+b up", "c down", "c up and down", "a to b", "a to b and back"));
    EXPECT_DOUBLE_EQ(shared[0].capacity.value, 9e6);
    EXPECT_THAT(shared[0].pairs, ElementsAre(std::pair<std::size_t, std::size_t>(0, 2),
                                             std::pair<std::size_t, std::size_t>(1, 2)));
    EXPECT_EQ(shared[2].pairs.size(), 4U);
    const Json& how = network.measured().at("shared");
    ASSERT_EQ(how.size(), 5U);
    EXPECT_EQ(how[0].at("name"), "a+b up");
    EXPECT_EQ(how[0].at("apart_Bps"), 18e6);
    EXPECT_EQ(how[0].at("rounds"), 3);
    // It can be read back.
    EXPECT_EQ(
        network::parse_network(network::to_json(network).dump(), "again").grid()->shared.size(),
        5U);
}

TEST(Findings, take_it_that_messages_share_as_those_of_tcp_and_that_real_hosts_have_queues) {
    using Shares = network::Transport::Shares;
    const network::Transport simulated{.shares = Shares::by_round_trip};
    Findings findings = small_job();
    findings.noisy = true;
    const network::Network network = to_network(findings);
    EXPECT_EQ(network.grid()->transport.shares, Shares::by_round_trip);
    EXPECT_GT(network.grid()->transport.burst, Bytes(0));
    EXPECT_EQ(network.measured().at("transport"), "assumed");
    EXPECT_EQ(network.grid()->transport.restart, Seconds(0.2));
    findings.windows_restart = false;
    EXPECT_EQ(to_network(findings).grid()->transport.restart, std::nullopt) << "the kernel says so";
    findings.noisy = false;
    EXPECT_EQ(to_network(findings).grid()->transport, simulated);
}

TEST(Findings, presume_a_link_that_nothing_went_over_to_be_as_fast_as_the_fastest) {
    for (const bool noisy : {false, true}) {
        Findings findings = small_job();
        findings.surveys.pop_back();
        const Matrix<double> round_trips(2, 2, 2e-3);
        Matrix<double> alone(2, 2, 0);
        alone(0, 1) = 4e6;
        follow_streams(findings, round_trips, alone, noisy);
        const network::Network network = to_network(findings);
        ASSERT_TRUE(network.grid()->links(1, 0).has_value());
        EXPECT_NEAR(network.grid()->links(1, 0)->gap(Bytes(1'000'000)).value, 0.25, 0.01);
        EXPECT_NEAR(network.grid()->links(1, 0)->latency(Bytes(1)).value, 1e-3, 1e-9);
        EXPECT_EQ(
            network.measured().at("warnings").at(0),
            "the budget left no time for 1 of the 2 links between clusters; they are presumed "
            "to be as fast as the fastest");
    }
}

TEST(Findings, tell_the_ways_between_clusters_apart_whose_hosts_do) {
    Findings findings = small_job();
    findings.asymmetry = Asymmetry(3);
    findings.asymmetry.at(0, 1) = 3e-4;
    follow_streams(findings, Matrix<double>(2, 2, 2e-3), Matrix<double>(2, 2, 4e6), true);
    const network::Network network = to_network(findings);
    const auto& links = network.grid()->links;
    EXPECT_DOUBLE_EQ(links(0, 1)->latency(Bytes(1)).value, 1.3e-3);
    EXPECT_DOUBLE_EQ(links(1, 0)->latency(Bytes(1)).value, 0.7e-3);
}

TEST(Findings, presume_an_inside_that_there_was_no_time_for_to_be_as_a_known_one) {
    Findings findings = small_job();
    findings.hosts.push_back({"b-2", {4}});
    findings.clusters = {{0, 2}, {1, 3}};
    findings.latencies = LatencyMatrix(4);
    EXPECT_EQ(to_network(findings).grid()->clusters[1].local(), nullptr);
    follow_streams(findings, Matrix<double>(2, 2, 2e-3), Matrix<double>(2, 2, 4e6), true);
    const network::Network network = to_network(findings);
    const auto& clusters = network.grid()->clusters;
    ASSERT_NE(clusters[1].local(), nullptr);
    EXPECT_EQ(clusters[1].local()->latency(Bytes(1)), clusters[0].local()->latency(Bytes(1)));
    EXPECT_THAT(network.measured().at("warnings").get<std::vector<std::string>>(),
                ElementsAre(HasSubstr("the insides of 1 of the 2 clusters")));
}

}  // namespace
}  // namespace espalier::measure
