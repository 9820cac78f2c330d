#include "testbed/kernel_commands.hpp"

#include "core/error.hpp"
#include "testbed/read_topology.hpp"
#include "testbed/state.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace espalier::testbed {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

using Words = std::vector<std::string>;

Words split(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
}

Topology example(const std::string& name) {
    return read_topology(ESPALIER_SOURCE_DIR "/testbed/examples/" + name + ".json");
}

std::vector<std::string> names(const Topology& topology) {
    std::vector<std::string> names;
    for (const Host& host : topology.hosts) names.push_back(host.name);
    return names;
}

/// What the commands say, followed as a router would: which rates, buffers and delays a packet
/// meets from host to host.
class Router {
public:
    explicit Router(const Topology& topology) {
        for (const KernelCommand& command : kernel_commands(topology, names(topology)))
            read(command);
    }

    /// `RATE BUFFER` of each queue and `DELAY` of each latency, in their order.
    [[nodiscard]] Words walk(std::size_t from, std::size_t to) const {
        Words met;
        meet(from, "tun0", met);
        std::string device = "h" + std::to_string(from);
        for (int step = 0; step < 20; ++step) {
            const std::string next = routes_.at(table(device, from)).at(address_of(to));
            meet(std::nullopt, next, met);
            if (next[0] == 'h') {
                EXPECT_EQ(next, "h" + std::to_string(to));
                return met;
            }
            device = peers_.at(next);
        }
        ADD_FAILURE() << "packets go round in circles";
        return met;
    }

private:
    using Place = std::pair<std::optional<std::size_t>, std::string>;

    void read(const KernelCommand& command) {
        const Words words = split(command.words);
        const auto after = [&](const std::string& word) {
            for (std::size_t i = 0; i + 1 < words.size(); ++i)
                if (words[i] == word) return words[i + 1];
            return std::string();
        };
        if (command.words.starts_with("link add")) peers_[words[2]] = words[9];
        if (command.words.starts_with("rule add"))
            rules_[after("iif")][after("from")] = after("lookup");
        if (command.words.starts_with("route add")) {
            const bool fresh = routes_[after("table")].emplace(words[2], words[4]).second;
            EXPECT_TRUE(fresh) << command.words;
        }
        const Place place{command.host, after("dev")};
        if (command.words.starts_with("class add")) met_[place] = after("rate");
        if (command.words.find("bfifo") != std::string::npos) met_[place] += " " + after("limit");
        if (command.words.find("netem") != std::string::npos) met_[place] = after("delay");
    }

    [[nodiscard]] std::string table(const std::string& device, std::size_t from) const {
        const auto& rules = rules_.at(device);
        const auto own = rules.find(address_of(from));
        return own != rules.end() ? own->second : rules.at("");
    }

    void meet(std::optional<std::size_t> host, const std::string& device, Words& met) const {
        const auto found = met_.find({host, device});
        if (found != met_.end()) met.push_back(found->second);
    }

    std::map<std::string, std::string> peers_;
    std::map<std::string, std::map<std::string, std::string>> rules_;
    std::map<std::string, std::map<std::string, std::string>> routes_;
    std::map<Place, std::string> met_;
};

TEST(KernelCommands, a_packet_meets_the_queues_and_the_latency_of_its_path) {
    const Topology topology = example("two-regions");
    const Router router(topology);
    EXPECT_THAT(router.walk(0, 6),
                ElementsAre("500000000bit 1048576", "200000000bit 1048576", "71000.00us",
                            "200000000bit 1048576", "500000000bit 1048576"));
    EXPECT_THAT(router.walk(9, 5),
                ElementsAre("500000000bit 1048576", "100000000bit 1048576", "74000.00us",
                            "200000000bit 1048576", "500000000bit 1048576"));
    EXPECT_THAT(router.walk(4, 5),
                ElementsAre("500000000bit 1048576", "150.00us", "500000000bit 1048576"));
}

/// What the topology itself says.
Words path(const Topology& topology, std::size_t from, std::size_t to) {
    Words met;
    const Path& path = topology.paths(from, to);
    const auto add = [&](std::uint32_t queue) {
        met.push_back(std::to_string(std::llround(topology.queues[queue].rate.value * 8)) + "bit " +
                      std::to_string(topology.queues[queue].buffer.value));
    };
    for (const auto queue : path.before) add(queue);
    if (path.latency > Seconds(0)) {
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%.2fus", path.latency.value * 1e6);
        met.emplace_back(text.data());
    }
    for (const auto queue : path.after) add(queue);
    return met;
}

class EveryPath : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryPath, is_what_the_topology_says) {
    const Topology topology = read_topology(std::string(ESPALIER_SOURCE_DIR "/") + GetParam());
    const Router router(topology);
    for (std::size_t from = 0; from < topology.hosts.size(); ++from)
        for (std::size_t to = 0; to < topology.hosts.size(); ++to)
            if (from != to) {
                // A host's own queue comes last, even where the latency is said to be behind it.
                EXPECT_THAT(router.walk(from, to),
                            UnorderedElementsAreArray(path(topology, from, to)))
                    << from << " to " << to;
            }
}

INSTANTIATE_TEST_SUITE_P(of, EveryPath,
                         ::testing::Values("testbed/examples/three-sites.json",
                                           "testbed/examples/slow-host.json",
                                           "tests/endtoend/networks/sites.json",
                                           "scripts/uneven-network.json",
                                           "tests/testbed/ring-of-links.json"));

TEST(KernelCommands, a_link_that_only_two_hosts_use_is_crossed_once) {
    const Topology topology = parse_topology(
        R"({"format":"espalier-network","version":1,"model":"links",
  "nodes":[{"name":"a","cycle_time":1},{"name":"b","cycle_time":1}],
  "links":[{"name":"ab","from":"a","to":"b","bandwidth":1e6,"latency":0.001,"kind":"directed"},
           {"name":"ba","from":"b","to":"a","bandwidth":2e6,"latency":0.001,"kind":"directed"}]})",
        "file");
    const Router router(topology);
    EXPECT_THAT(router.walk(0, 1), UnorderedElementsAreArray(path(topology, 0, 1)));
    EXPECT_THAT(router.walk(1, 0), UnorderedElementsAreArray(path(topology, 1, 0)));
}

TEST(KernelCommands, senders_that_part_behind_a_shared_link_have_tables_of_their_own) {
    // Both clusters leave by one uplink, and have other latencies from there.
    const Topology topology = example("three-sites");
    const auto commands = kernel_commands(topology, names(topology));
    std::size_t of_senders = 0;
    for (const KernelCommand& command : commands)
        of_senders += command.words.find(" from 10.77.0.1 ") != std::string::npos ? 1U : 0U;
    EXPECT_GT(of_senders, 0U);
}

TEST(KernelCommands, the_script_names_namespaces_by_hosts) {
    const std::string script = kernel_script(example("slow-host"));
    EXPECT_TRUE(script.starts_with("#!/bin/sh -e\nip netns add router\nip netns add node-0\n"));
    EXPECT_THAT(script, HasSubstr("\nip netns exec router sysctl -qw net.ipv4.ip_forward=1\n"));
    EXPECT_THAT(script, HasSubstr("\ntc -n old class add dev tun0 parent 1: classid 1:1 htb rate "
                                  "100000000bit burst 6250 cburst 6250 quantum 1600 overhead 24 "
                                  "mpu 84\n"));
}

TEST(KernelCommands, a_host_can_not_bear_the_routers_name_in_a_script) {
    const Topology topology = parse_topology(
        R"({"format":"espalier-testbed","version":1,
  "clusters":[{"name":"c","hosts":["router","b"],"latency":"0s","rate":"8Mbit/s"}]})",
        "file");
    EXPECT_THROW((void)kernel_script(topology), InputError);
}

}  // namespace
}  // namespace espalier::testbed
