#include "testbed/kernel_changes.hpp"

#include "core/error.hpp"
#include "testbed/read_topology.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace espalier::testbed {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr auto changing_sites = R"({"format":"espalier-testbed","version":1,
 "sites":[{"name":"n","uplink":"80Mbit/s"},{"name":"s","uplink":"80Mbit/s"}],
 "clusters":[{"name":"a","site":"n","hosts":2,"latency":"0s","rate":"400Mbit/s"},
             {"name":"b","site":"s","hosts":1,"rate":"400Mbit/s"}],
 "latency":[["a","b","5ms"]]})";

class KernelChanges : public ::testing::Test {
protected:
    /// The commands of a change that comes on top of those before it, each after whose they are.
    std::vector<std::string> change(const std::vector<std::string>& words) {
        Topology after = now;
        for (const Change& change : parse_changes(words, described)) {
            require_kernel_can(change, described);
            apply(change, described, after);
        }
        std::vector<std::string> all;
        for (const KernelCommand& command : kernel_changes(described, now, after)) {
            EXPECT_EQ(command.program, KernelCommand::Program::tc);
            all.push_back((command.host ? std::to_string(*command.host) + ": " : "router: ") +
                          command.words);
        }
        now = after;
        return all;
    }

    const Topology described = parse_topology(changing_sites, "file");
    Topology now = described;
};

TEST_F(KernelChanges, a_rate_is_that_of_the_queues_device) {
    EXPECT_THAT(change({"n uplink", "rate=20Mbit/s"}),
                ElementsAre("router: class change dev q0 parent 1: classid 1:1 htb rate "
                            "20000000bit burst 3076 cburst 3076 quantum 1600 overhead 24 mpu 84"));
    EXPECT_THAT(change({"a-1", "rate=200Mbit/s"}),
                ElementsAre("1: class change dev tun0 parent 1: classid 1:1 htb rate "
                            "200000000bit burst 12500 cburst 12500 quantum 1600 overhead 24 mpu 84",
                            "router: class change dev h1 parent 1: classid 1:1 htb rate "
                            "200000000bit burst 12500 cburst 12500 quantum 1600 overhead 24 mpu "
                            "84"));
    EXPECT_THAT(change({"a-1", "rate=200Mbit/s"}), IsEmpty());
}

TEST_F(KernelChanges, cross_traffic_is_taken_off_the_rate_but_not_all_of_it) {
    EXPECT_THAT(change({"n uplink", "cross=60Mbit/s"}),
                ElementsAre("router: class change dev q0 parent 1: classid 1:1 htb rate "
                            "20000000bit burst 3076 cburst 3076 quantum 1600 overhead 24 mpu 84"));
    EXPECT_THAT(change({"n uplink", "cross=90Mbit/s"}),
                ElementsAre("router: class change dev q0 parent 1: classid 1:1 htb rate "
                            "800000bit burst 3076 cburst 3076 quantum 1600 overhead 24 mpu 84"));
}

TEST_F(KernelChanges, all_paths_of_one_latency_are_one_netem) {
    EXPECT_THAT(change({"a", "b", "latency=7ms", "b", "a", "latency=7ms"}),
                ElementsAre("router: qdisc change dev d0 root netem delay 7000.00us limit 100000"));
    // From nothing to the jitter is half of it to both sides of its middle.
    EXPECT_THAT(change({"a", "b", "jitter=2ms", "loss=0.1%", "b", "a", "jitter=2ms", "loss=0.1%"}),
                ElementsAre("router: qdisc change dev d0 root netem delay 8000.00us 1000.00us loss "
                            "0.1% limit 100000 rate 1000gbit"));
    EXPECT_THAT(change({"a", "b", "reset", "b", "a", "reset"}),
                ElementsAre("router: qdisc change dev d0 root netem delay 5000.00us limit 100000"));
}

TEST_F(KernelChanges, a_path_that_differs_from_others_has_a_class_of_its_own) {
    EXPECT_THAT(
        change({"a-1", "b-0", "latency=7ms"}),
        ElementsAre("router: qdisc replace dev d0 root handle 1: htb default 1",
                    "router: class add dev d0 parent 1: classid 1:1 htb rate 1000gbit quantum "
                    "60000",
                    "router: qdisc add dev d0 parent 1:1 netem delay 5000.00us limit 100000",
                    "router: class add dev d0 parent 1: classid 1:3 htb rate 1000gbit quantum "
                    "60000",
                    "router: qdisc add dev d0 parent 1:3 netem delay 7000.00us limit 100000",
                    "router: filter add dev d0 parent 1: protocol ip pref 3 u32 match ip src "
                    "10.77.0.2/32 match ip dst 10.77.0.3/32 flowid 1:3"));
    EXPECT_THAT(change({"a-1", "b-0", "latency=8ms"}),
                ElementsAre("router: qdisc change dev d0 parent 1:3 netem delay 8000.00us limit "
                            "100000"));
    EXPECT_THAT(change({"a-1", "b-0", "reset", "b-0", "a-0", "loss=1%"}),
                ElementsAre("router: filter del dev d0 parent 1: protocol ip pref 3 u32",
                            "router: class del dev d0 classid 1:3",
                            "router: class add dev d0 parent 1: classid 1:4 htb rate 1000gbit "
                            "quantum 60000",
                            "router: qdisc add dev d0 parent 1:4 netem delay 5000.00us loss 1% "
                            "limit 100000",
                            "router: filter add dev d0 parent 1: protocol ip pref 4 u32 match ip "
                            "src 10.77.0.3/32 match ip dst 10.77.0.1/32 flowid 1:4"));
    EXPECT_THAT(change({"b-0", "a-0", "reset"}),
                ElementsAre("router: qdisc replace dev d0 root netem delay 5000.00us limit "
                            "100000"));
}

TEST_F(KernelChanges, what_the_kernel_can_not_do_is_refused) {
    EXPECT_THROW((void)change({"n uplink", "loss=1%"}), InputError);
    EXPECT_THROW((void)change({"a-0", "a-1", "latency=1ms"}), InputError);
    EXPECT_THROW((void)change({"a-0", "a-1", "loss=1%"}), InputError);
    EXPECT_THAT(change({"a-0", "a-1", "reset"}), IsEmpty());
}

}  // namespace
}  // namespace espalier::testbed
