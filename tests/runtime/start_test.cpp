#include "runtime/logic/start.hpp"

#include "core/files.hpp"
#include "measure/method/notes.hpp"
#include "network/json.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runtime {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Source = NetworkOrigin::Source;

/// Hosts a and b in one cluster, c in another; all links known, or only one direction.
network::Network network_of_three(bool complete = true) {
    const std::string back = complete ? "0.01" : "null";
    return network::parse_network(
        R"({"format":"espalier-network","version":1,"model":"grid",
            "measured":{"seconds":1.5,"budget_s":2},
            "clusters":[{"name":"x","nodes":["a","b"],"local":{"latency_s":1e-6,"gap_s":1e-6}},
                        {"name":"y","nodes":["c"]}],
            "latency_s":[[0,0.01],[)" +
            back + R"(,0]],"gap_s":[[0,0.001],[)" + back + ",0]]}",
        "test");
}

network::Network uniform_network() {
    return network::parse_network(
        R"({"format":"espalier-network","version":1,"model":"grid",
            "clusters":[{"name":"x","nodes":["a","b","c"],
                         "local":{"latency_s":1e-6,"gap_s":1e-6}}],
            "latency_s":[[0]],"gap_s":[[0]]})",
        "test");
}

class StartTest : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "espalier-start-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        settings_.cache = folder_ / "cache";
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] Starter starter(const std::vector<std::string>& hosts,
                                  const std::vector<std::string>& digests = {}) const {
        std::vector<RankFacts> ranks;
        for (const std::string& host : hosts)
            ranks.push_back({host, ranks.size() < digests.size() ? digests[ranks.size()] : ""});
        const Environment folders = [this](const std::string& name) {
            return name == "XDG_CONFIG_DIRS" ? std::optional(config_folders_) : std::nullopt;
        };
        return {settings_, folders, {"openmpi", "Open MPI v4.1.4"}, ranks};
    }
    [[nodiscard]] Start decide(const std::vector<std::string>& hosts,
                               const std::vector<std::string>& digests = {}) const {
        return starter(hosts, digests).decide();
    }
    [[nodiscard]] std::string written(const network::Network& network) const {
        std::string path = folder_ / "net.json";
        network::write_network(network, path);
        return path;
    }

    fs::path folder_;
    std::string config_folders_ = "/nowhere";
    Settings settings_;
};

TEST_F(StartTest, one_host_needs_no_network) {
    const Start start = decide({"a", "a.site.org", "a"});
    EXPECT_FALSE(start.measure);
    EXPECT_EQ(start.verdict, Verdict::one_host);
    EXPECT_EQ(start.origin.source, Source::none);
}

TEST_F(StartTest, one_host_is_measured_by_force) {
    settings_.measure = Settings::Measure::force;
    EXPECT_TRUE(decide({"a", "a"}).measure);
}

TEST_F(StartTest, nothing_is_measured_that_nobody_will_use) {
    settings_.measure = Settings::Measure::off;
    EXPECT_FALSE(decide({"a", "b"}).measure);
    EXPECT_EQ(decide({"a", "b"}).verdict, Verdict::no_network);
    settings_.measure = Settings::Measure::force;
    settings_.planning = Settings::Planning::never;
    EXPECT_FALSE(decide({"a", "b"}).measure);
    EXPECT_EQ(decide({"a", "b"}).verdict, Verdict::never);
}

TEST_F(StartTest, what_was_measured_is_found_by_the_next_job) {
    ASSERT_TRUE(decide({"a", "b", "c"}).measure);
    const Start first = starter({"a", "b", "c"}).go_on_with(network_of_three());
    EXPECT_EQ(first.verdict, Verdict::planned);
    EXPECT_EQ(first.origin.source, Source::measured);
    EXPECT_EQ(first.origin.measured_in->value, 1.5);
    EXPECT_THAT(first.warnings, IsEmpty());

    const Start next = decide({"c", "a", "b"});
    EXPECT_FALSE(next.measure);
    EXPECT_EQ(next.verdict, Verdict::planned);
    EXPECT_EQ(next.origin.source, Source::cache);
    EXPECT_EQ(next.origin.path, first.origin.path);
    EXPECT_EQ(next.network->fingerprint(), first.network->fingerprint());
    EXPECT_EQ(network::fingerprint(network::parse_network(next.text, "")),
              first.network->fingerprint());

    settings_.measure = Settings::Measure::force;
    EXPECT_TRUE(decide({"a", "b", "c"}).measure);
}

TEST_F(StartTest, what_was_not_measured_to_its_end_is_gone_on_with) {
    measure::Findings found;
    found.hosts = {{"a", {0}}, {"b", {1}}, {"c", {2}}};
    found.latencies = measure::LatencyMatrix(3);
    const std::string bytes = measure::pack_notes(found, {}, 1);
    (void)starter({"a", "b", "c"}).go_on_with(network_of_three(), bytes);
    Start next = decide({"a", "b", "c"});
    EXPECT_TRUE(next.measure);
    EXPECT_EQ(next.notes, bytes);

    // Whose hosts have other numbers can't go on, but has the network.
    next = decide({"c", "a", "b"});
    EXPECT_FALSE(next.measure);
    EXPECT_EQ(next.origin.source, Source::cache);
    settings_.measure = Settings::Measure::force;
    next = decide({"a", "b", "c"});
    EXPECT_TRUE(next.measure);
    EXPECT_EQ(next.notes, "");
    settings_.measure = Settings::Measure::automatic;

    (void)starter({"a", "b", "c"}).go_on_with(network_of_three());
    EXPECT_FALSE(decide({"a", "b", "c"}).measure);
}

TEST_F(StartTest, what_was_measured_long_ago_is_measured_anew) {
    const Start first = starter({"a", "b", "c"}).go_on_with(network_of_three());
    const auto keep_for = [&](std::chrono::hours age) {
        fs::last_write_time(first.origin.path, fs::file_time_type::clock::now() - age);
    };
    keep_for(std::chrono::hours(6 * 24));
    EXPECT_EQ(decide({"a", "b", "c"}).origin.source, Source::cache);
    keep_for(std::chrono::hours(8 * 24));
    EXPECT_TRUE(decide({"a", "b", "c"}).measure);
    EXPECT_THAT(decide({"a", "b", "c"}).warnings, IsEmpty());
}

TEST_F(StartTest, an_administrators_file_is_found_by_itself_if_it_has_all_hosts) {
    const fs::path site = folder_ / "second" / "espalier" / "network.json";
    fs::create_directories(site.parent_path());
    network::write_network(network_of_three(), site);
    config_folders_ = (folder_ / "first").string() + ":" + (folder_ / "second").string();
    for (const auto measure : {Settings::Measure::automatic, Settings::Measure::off}) {
        settings_.measure = measure;
        const Start start = decide({"a", "c"});
        EXPECT_EQ(start.origin.source, Source::site);
        EXPECT_EQ(start.origin.path, site);
        EXPECT_EQ(start.verdict, Verdict::planned);
        EXPECT_EQ(start.text, read_file(site));
        EXPECT_EQ(decide({"a", "b"}).verdict, Verdict::one_cluster);
        EXPECT_EQ(decide({"a", "a"}).verdict, Verdict::one_host);
        const Start other = decide({"a", "d"});
        EXPECT_EQ(other.measure, measure == Settings::Measure::automatic);
        EXPECT_EQ(other.origin.source, Source::none);
        EXPECT_THAT(other.warnings, IsEmpty());
    }
    settings_.measure = Settings::Measure::force;
    EXPECT_TRUE(decide({"a", "c"}).measure);
    settings_.network = folder_ / "none.json";
    EXPECT_EQ(decide({"a", "c"}).origin.path, settings_.network);
}

TEST_F(StartTest, an_administrators_file_that_is_broken_draws_one_line) {
    const fs::path site = folder_ / "espalier" / "network.json";
    fs::create_directories(site.parent_path());
    write_file(site, "{");
    config_folders_ = folder_;
    const Start start = decide({"a", "c"});
    EXPECT_TRUE(start.measure);
    EXPECT_THAT(start.warnings, ElementsAre(HasSubstr(site.string())));
}

TEST_F(StartTest, ranks_that_share_a_host_have_a_network_of_their_own) {
    (void)starter({"a", "b", "c"}).go_on_with(network_of_three());
    EXPECT_TRUE(decide({"a", "b", "c", "c"}).measure);
}

TEST_F(StartTest, a_uniform_network_leaves_all_to_mpi) {
    EXPECT_EQ(starter({"a", "b", "c"}).go_on_with(uniform_network()).verdict, Verdict::one_cluster);
    EXPECT_EQ(decide({"a", "b", "c"}).verdict, Verdict::one_cluster);
    settings_.planning = Settings::Planning::always;
    EXPECT_EQ(decide({"a", "b", "c"}).verdict, Verdict::planned);
}

TEST_F(StartTest, a_network_that_lacks_links_leaves_all_to_mpi_until_there_is_more_time) {
    const Start first = starter({"a", "b", "c"}).go_on_with(network_of_three(false));
    EXPECT_EQ(first.verdict, Verdict::incomplete_network);
    EXPECT_THAT(first.warnings, ElementsAre(HasSubstr("ESPALIER_MEASURE_BUDGET")));
    const Start next = decide({"a", "b", "c"});
    EXPECT_FALSE(next.measure);
    EXPECT_EQ(next.verdict, Verdict::incomplete_network);
    settings_.measure_budget = Seconds(5);
    EXPECT_TRUE(decide({"a", "b", "c"}).measure);
}

TEST_F(StartTest, a_network_without_costs_inside_a_host_serves_jobs_with_one_rank_a_host_only) {
    EXPECT_EQ(starter({"a", "b", "c", "c"}).go_on_with(network_of_three()).verdict,
              Verdict::incomplete_network);
    // Inside a cluster of several hosts their link stands for it.
    EXPECT_EQ(starter({"a", "b", "c", "b"}).go_on_with(network_of_three()).verdict,
              Verdict::planned);
    EXPECT_EQ(starter({"a", "b", "c"}).go_on_with(network_of_three()).verdict, Verdict::planned);
}

TEST_F(StartTest, a_kept_file_that_is_broken_draws_one_line_and_is_measured_anew) {
    const Start first = starter({"a", "b", "c"}).go_on_with(network_of_three());
    for (const std::string& text :
         {std::string("garbage"), first.text.substr(0, 200), std::string("{}")}) {
        write_file(first.origin.path, text);
        const Start start = decide({"a", "b", "c"});
        EXPECT_TRUE(start.measure);
        EXPECT_THAT(start.warnings, ElementsAre(HasSubstr(first.origin.path)));
    }
}

TEST_F(StartTest, a_kept_file_without_costs_is_measured_anew) {
    const Start first = starter({"a", "b", "c"}).go_on_with(network_of_three());
    std::string text = read_file(first.origin.path);
    const std::string field = "\"latency_s\"";
    text.replace(text.rfind(field), field.size(), "\"nothing\"");
    write_file(first.origin.path, text);
    const Start start = decide({"a", "b", "c"});
    EXPECT_TRUE(start.measure);
    EXPECT_THAT(start.warnings, ElementsAre(HasSubstr(first.origin.path)));
}

TEST_F(StartTest, what_can_not_be_kept_is_used_all_the_same_after_one_line) {
    settings_.cache = "/dev/full";
    Starter starting = starter({"a", "b", "c"});
    EXPECT_THAT(starting.decide().warnings, IsEmpty());
    const Start start = starting.go_on_with(network_of_three());
    EXPECT_EQ(start.verdict, Verdict::planned);
    EXPECT_EQ(start.origin.source, Source::measured);
    EXPECT_EQ(start.origin.path, "");
    EXPECT_THAT(start.warnings, ElementsAre(HasSubstr("/dev/full")));
}

TEST_F(StartTest, a_given_file_is_used_and_nothing_is_measured) {
    settings_.network = written(network_of_three());
    settings_.measure = Settings::Measure::force;
    const std::string digest = digest_of(settings_.network);
    const Start start = decide({"a", "c", "c"}, {digest, "", digest});
    EXPECT_FALSE(start.measure);
    EXPECT_EQ(start.verdict, Verdict::planned);
    EXPECT_EQ(start.origin.source, Source::file);
    EXPECT_EQ(start.text, read_file(settings_.network));
    EXPECT_EQ(decide({"a", "b", "b"}).verdict, Verdict::one_cluster);
}

TEST_F(StartTest, files_that_differ_leave_all_to_mpi_after_one_line) {
    settings_.network = written(network_of_three());
    const std::string digest = digest_of(settings_.network);
    const Start start = decide({"a", "b", "c", "c"}, {digest, digest, std::string(64, '0'), "1"});
    EXPECT_EQ(start.verdict, Verdict::different_networks);
    EXPECT_THAT(start.warnings, ElementsAre(HasSubstr("on c as on a")));
}

TEST_F(StartTest, a_given_file_that_is_broken_or_missing_draws_one_line) {
    settings_.network = folder_ / "none.json";
    EXPECT_EQ(decide({"a", "c"}).verdict, Verdict::no_network);
    EXPECT_THAT(decide({"a", "c"}).warnings, ElementsAre(HasSubstr("none.json")));
    write_file(settings_.network, "{");
    EXPECT_EQ(decide({"a", "c"}).verdict, Verdict::no_network);
    EXPECT_THAT(decide({"a", "c"}).warnings, ElementsAre(HasSubstr("none.json")));
}

TEST_F(StartTest, hosts_that_a_given_file_does_not_have_are_named_once) {
    settings_.network = written(network_of_three());
    const Start start = decide({"a", "c", "d", "d", "e"});
    // Which communicators have only hosts that are known is not known yet.
    EXPECT_EQ(start.verdict, Verdict::planned);
    EXPECT_THAT(start.warnings, ElementsAre(HasSubstr("no node for host 'd' and 1 more")));
}

TEST_F(StartTest, only_files_have_digests) {
    const std::string path = written(network_of_three());
    EXPECT_EQ(digest_of(path).size(), 64U);
    EXPECT_EQ(digest_of(folder_ / "none.json"), "");
    EXPECT_EQ(digest_of("/dev/null"), "");
    EXPECT_EQ(digest_of(folder_), "");
    EXPECT_EQ(digest_of(""), "");
    const std::string before = digest_of(path);
    write_file(path, read_file(path) + "\n");
    EXPECT_NE(digest_of(path), before);
}

}  // namespace
}  // namespace espalier::runtime
