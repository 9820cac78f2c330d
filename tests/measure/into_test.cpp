#include "measure/into/measurements.hpp"

#include "directory/assemble.hpp"
#include "directory/measurement_text.hpp"
#include "directory/time.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

namespace espalier::measure {
namespace {

using directory::Measurement;
using directory::Pair;
using directory::Quantity;

LinkCosts affine(double latency, double bandwidth) {
    LinkCosts costs;
    for (const std::uint64_t bytes : {1U, 64U, 8192U, 1048576U})
        costs.points.push_back({bytes, latency, static_cast<double>(bytes) / bandwidth});
    return costs;
}

/// Two clusters, of three hosts and of one with two ranks; its latency bends with size one way.
Findings small_job() {
    Findings findings;
    findings.hosts = {{"a-1", {0}}, {"b", {1, 3}}, {"a-2", {2}}, {"a-3", {4}}};
    findings.clusters = {{0, 2, 3}, {1}};
    findings.latencies = LatencyMatrix(4);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            if (i != j) findings.latencies.at(i, j) = i == 1 || j == 1 ? 1.1e-2 : 5.5e-5;
    LinkCosts inside = affine(5e-5, 1e8);
    for (CostPoint& point : inside.points) point.gap *= 1.5;
    inside.stretch = 1.5;
    LinkCosts bent = affine(1e-2, 1e7);
    bent.points.back().latency = 2e-2;
    findings.surveys = {{LinkKind::inside, 0, 0, inside},
                        {LinkKind::within_node, 1, 1, affine(1e-6, 1e9)},
                        {LinkKind::between, 0, 1, bent},
                        {LinkKind::between, 1, 0, affine(1e-2, 2e7)}};
    findings.ranks = 5;
    findings.tolerance = 0.2;
    findings.at = "2026-11-21T00:00:00Z";
    findings.mpi = "some MPI";
    return findings;
}

/// The values of one subject; there may be at most one.
std::optional<double> value(const Record& record, const Pair& pair, Quantity quantity,
                            std::optional<Bytes> size, const std::vector<Pair>& meanwhile = {}) {
    std::optional<double> found;
    for (const Measurement& measurement : record.measurements) {
        if (measurement.pair != pair || measurement.quantity != quantity ||
            measurement.size != size || measurement.meanwhile != meanwhile)
            continue;
        EXPECT_FALSE(found.has_value()) << "twice";
        found = measurement.value;
    }
    return found;
}

TEST(Record, says_when_and_by_whom) {
    const Record record = to_record(small_job(), "");
    EXPECT_THAT(record.hosts, testing::ElementsAre("a-1", "b", "a-2", "a-3"));
    for (const Measurement& measurement : record.measurements) {
        EXPECT_EQ(directory::format_time(measurement.at), "2026-11-21T00:00:00Z");
        EXPECT_EQ(measurement.by, "a-1 (some MPI)");
        EXPECT_NO_THROW(directory::require_sound(measurement, "record"));
    }
    EXPECT_EQ(to_record(small_job(), "me").measurements.front().by, "me");
}

TEST(Record, has_each_round_trip_as_two_latencies_of_no_size) {
    Findings findings = small_job();
    const LatencyMatrix all = std::exchange(findings.latencies, LatencyMatrix(4));
    for (const auto& [a, b] : {std::pair(0U, 1U), {0U, 2U}, {0U, 3U}, {1U, 2U}, {1U, 3U}})
        findings.latencies.at(a, b) = all(a, b).value();
    const Record record = to_record(findings, "");
    EXPECT_EQ(value(record, {"b", "a-2"}, Quantity::latency, {}), 1.1e-2);
    EXPECT_EQ(value(record, {"a-2", "b"}, Quantity::latency, {}), 1.1e-2);
    EXPECT_EQ(value(record, {"a-1", "a-2"}, Quantity::latency, {}), 5.5e-5);
    EXPECT_EQ(value(record, {"a-2", "a-3"}, Quantity::latency, {}), std::nullopt);
}

TEST(Record, has_what_is_known_of_the_ways_there_and_back) {
    Findings findings = small_job();
    findings.asymmetry = Asymmetry(4);
    findings.asymmetry.at(1, 2) = 1e-3;
    const Record record = to_record(findings, "");
    EXPECT_DOUBLE_EQ(*value(record, {"b", "a-2"}, Quantity::latency, {}), 1.2e-2);
    EXPECT_DOUBLE_EQ(*value(record, {"a-2", "b"}, Quantity::latency, {}), 1.0e-2);
}

TEST(Record, has_what_was_surveyed_at_its_sizes) {
    const Record record = to_record(small_job(), "");
    EXPECT_EQ(value(record, {"b", "a-1"}, Quantity::gap, Bytes(8192)), 8192 / 2e7);
    EXPECT_EQ(value(record, {"a-1", "b"}, Quantity::gap, Bytes(1048576)), 1048576 / 1e7);
    EXPECT_EQ(value(record, {"a-1", "b"}, Quantity::latency, Bytes(1048576)), 2e-2);
    EXPECT_EQ(value(record, {"b", "a-1"}, Quantity::latency, Bytes(1)), 1e-2);
    EXPECT_EQ(value(record, {"b", "a-1"}, Quantity::latency, Bytes(1048576)), std::nullopt)
        << "it does not vary";
    EXPECT_EQ(value(record, {"b", "b"}, Quantity::gap, Bytes(8192)), 8192 / 1e9);
    EXPECT_EQ(value(record, {"a-2", "b"}, Quantity::gap, Bytes(8192)), std::nullopt);
}

TEST(Record, has_gaps_inside_clusters_alone_and_with_traffic_both_ways) {
    const Record record = to_record(small_job(), "");
    const Pair there{"a-1", "a-2"};
    const Pair back{"a-2", "a-1"};
    EXPECT_DOUBLE_EQ(*value(record, there, Quantity::gap, Bytes(8192)), 8192 / 1e8);
    EXPECT_DOUBLE_EQ(*value(record, there, Quantity::gap, Bytes(8192), {back}), 1.5 * 8192 / 1e8);
    EXPECT_DOUBLE_EQ(*value(record, back, Quantity::gap, Bytes(8192), {there}), 1.5 * 8192 / 1e8);
    EXPECT_EQ(value(record, back, Quantity::gap, Bytes(8192)), std::nullopt)
        << "never measured alone";
}

TEST(Record, of_symmetric_links_is_of_both_directions) {
    Findings findings = small_job();
    findings.surveys.pop_back();
    findings.symmetric = true;
    const Record record = to_record(findings, "");
    EXPECT_EQ(value(record, {"b", "a-1"}, Quantity::gap, Bytes(8192)), 8192 / 1e7);
}

/// A source of measurements that stand in memory.
class Memory : public directory::Source {
public:
    explicit Memory(Record record) : record_(std::move(record)) {}
    [[nodiscard]] std::vector<Measurement> read(const directory::Period& period) const override {
        std::vector<Measurement> inside;
        for (const Measurement& measurement : record_.measurements)
            if (measurement.at >= period.begin && measurement.at <= period.end)
                inside.push_back(measurement);
        return inside;
    }
    [[nodiscard]] std::vector<std::string> nodes() const override { return record_.hosts; }

private:
    Record record_;
};

void expect_same(const network::PLogP& a, const network::PLogP& b) {
    for (const std::uint64_t size : {0U, 1U, 64U, 1024U, 8192U, 65536U, 1048576U, 16777216U}) {
        EXPECT_NEAR(a.gap(Bytes(size)).value / b.gap(Bytes(size)).value, 1, 1e-6) << size;
        EXPECT_NEAR(a.latency(Bytes(size)).value / b.latency(Bytes(size)).value, 1, 1e-6) << size;
    }
}

/// That a directory says of a job what a network file does.
void expect_same(const Findings& findings) {
    const network::Network written = to_network(findings);
    const Memory source(to_record(findings, ""));
    const auto at = directory::parse_date("2026-11-22", "test");
    const network::Network again = directory::assemble(source, "memory", at);
    ASSERT_NE(again.grid(), nullptr);
    const auto& expected = *written.grid();
    const auto& grid = *again.grid();
    ASSERT_EQ(grid.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(grid.clusters[i].size, expected.clusters[i].size);
        EXPECT_EQ(grid.clusters[i].nodes, expected.clusters[i].nodes);
        expect_same(*grid.links(i, 1 - i), *expected.links(i, 1 - i));
    }
    expect_same(*grid.clusters[0].local(), *expected.clusters[0].local());
    expect_same(*grid.clusters[1].within_node, *expected.clusters[1].within_node);
}

TEST(Record, leaves_out_what_there_was_no_time_for) {
    Findings findings = small_job();
    for (SurveyRecord& survey : findings.surveys) survey.costs.points.clear();
    for (const Measurement& measurement : to_record(findings, "").measurements)
        EXPECT_EQ(measurement.quantity, Quantity::latency);
}

TEST(Record, gives_the_network_again_that_is_written_to_a_file) { expect_same(small_job()); }

TEST(Record, gives_clusters_again_whose_hosts_a_noisy_clock_told_apart) {
    Findings findings = small_job();
    findings.noisy = true;
    findings.latencies.at(0, 2) = findings.latencies.at(2, 0) = 2e-3;
    findings.latencies.at(2, 3) = findings.latencies.at(3, 2) = 9e-5;
    expect_same(findings);
    findings.latencies.at(1, 2) = findings.latencies.at(2, 1) = 5.6e-5;
    expect_same(findings);
    findings.noisy = false;
    EXPECT_EQ(value(to_record(findings, ""), {"a-1", "a-2"}, Quantity::latency, {}), 2e-3)
        << "without noise each is what it is";
}

TEST(Record, gives_it_again_where_there_was_time_for_one_size_only) {
    Findings findings = small_job();
    for (SurveyRecord& survey : findings.surveys)
        if (survey.kind != LinkKind::between)
            survey.costs.points.erase(survey.costs.points.begin() + 1, survey.costs.points.end());
    expect_same(findings);
}

}  // namespace
}  // namespace espalier::measure
