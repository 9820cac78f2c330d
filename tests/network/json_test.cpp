#include "network/json.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "network/grid_view.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace espalier::network {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto sender_example = R"({"format":"espalier-network","version":1,"model":"sender",
 "time_unit":"s",
 "nodes":[{"name":"a","transmission_time":10}, {"name":"b","transmission_time":5}]})";

constexpr auto classes_example = R"({"format":"espalier-network","version":1,"model":"sender",
 "classes":[{"name":"old","transmission_time":3,"count":500000},
            {"name":"new","transmission_time":1,"count":2}]})";

constexpr auto pairwise_example = R"({"format":"espalier-network","version":1,"model":"pairwise",
 "nodes":[{"name":"AMES"},{"name":"ANL"}],
 "startup_s":[[0,0.0345],[0.0345,0]], "bandwidth_Bps":[[0,64000],[64000,0]],
 "egress_Bps":[1e6,1e6], "ingress_Bps":[1e6,1e6], "spread":[[0,0.5],[null,0]]})";

constexpr auto grid_example = R"({"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"orsay","nodes":["o-1","o-2"],
              "local":{"latency_s":47e-6,"gap_s":{"1":1e-6,"1048576":0.009},"spread":0.05}},
             {"name":"toulouse","size":20,"broadcast_s":0.5}],
 "latency_s":[[0,0.0052],[0.0052,0]],
 "gap_s":[[0,{"1":2e-6,"1048576":0.09}],[0.3,0]],
 "spread":[[0,1.5],[null,0]],
 "message_s":7e-6, "transport":{"burst_bytes":16384,"queue_s":0.1,"shares":"round-trip","restart_s":0.2},
 "unstated":"separate", "uncertainty":0.5,
 "shared":[{"name":"orsay-uplink","capacity_Bps":9.4e6,"pairs":[["orsay","toulouse"]],"spread":0.2}]})";

constexpr auto nested_example = R"({"format":"espalier-network","version":1,"model":"grid",
 "clusters":[
  {"name":"site","grid":{
    "clusters":[{"name":"x","size":2,"local":{"latency_s":1,"gap_s":2,
                  "latency_by_size_s":{"1":1,"1000":4}},
                 "within_node":{"latency_s":0.1,"gap_s":0.2},"egress_Bps":9,"ingress_Bps":8},
                {"name":"y","nodes":["y.host"]}],
    "latency_s":[[0,3],[4,0]],"gap_s":[[0,5],[6,0]],
    "shared":[{"name":"u","capacity_Bps":7,"pairs":[["x","y"],["y","x"]]}]}},
  {"name":"far","size":1}],
 "latency_s":[[0,30],[40,0]],"gap_s":[[0,50],[60,0]],
 "latency_by_size_s":[[null,{"1":30,"1000":300}],[null,null]]})";

constexpr auto links_example = R"({"format":"espalier-network","version":1,"model":"links",
 "nodes":[{"name":"P1","cycle_time":1.5,"startup_s":0.25},{"name":"r1"},{"name":"P2","cycle_time":1}],
 "links":[{"name":"a","from":"P1","to":"r1","bandwidth":10,"latency":0,"kind":"bidirectional"},
          {"name":"b","from":"P1","to":"r1","bandwidth":20,"latency":1,"kind":"backbone"},
          {"name":"c","from":"r1","to":"P2","bandwidth":10,"latency":0,"kind":"directed"}]})";

constexpr const char* examples[] = {sender_example, classes_example, pairwise_example,
                                    grid_example,   nested_example,  links_example};

std::string fault_of(const std::string& text) {
    try {
        static_cast<void>(parse_network(text, "net.json"));
    } catch (const InputError& fault) {
        EXPECT_THAT(fault.what(), Not(HasSubstr("\n")));
        return fault.what();
    }
    return "";
}

/// One of the examples with something changed.
std::string fault_after(const char* example, const std::function<void(Json&)>& change) {
    Json document = Json::parse(example);
    change(document);
    return fault_of(document.dump());
}

TEST(NetworkJson, reads_the_contracts_examples) {
    const Network sender = parse_network(sender_example, "net");
    EXPECT_EQ(sender.model_name(), "sender");
    EXPECT_EQ(size(sender), 2U);
    EXPECT_EQ(node_name(sender, 1), "b");
    EXPECT_EQ(sender.sender()->class_of(1).transmission_time, 5);

    const Network classes = parse_network(classes_example, "net");
    EXPECT_EQ(size(classes), 500002U);
    EXPECT_EQ(node_name(classes, 0), "old-0");
    EXPECT_EQ(node_name(classes, 500001), "new-1");

    const Network pairwise = parse_network(pairwise_example, "net");
    EXPECT_EQ(pairwise.pairwise()->startup(0, 1), Seconds(0.0345));
    EXPECT_EQ(pairwise.pairwise()->bandwidth(1, 0), BytesPerSecond(64000));
    EXPECT_EQ(pairwise.pairwise()->egress[1], BytesPerSecond(1e6));

    const Network grid = parse_network(grid_example, "net");
    const auto& clusters = grid.grid()->clusters;
    EXPECT_EQ(clusters[1].size, 20U);
    EXPECT_EQ(std::get<Cluster::KnownBroadcast>(clusters[1].inside).time, Seconds(0.5));
    EXPECT_EQ(clusters[0].local()->gap(Bytes(1048576)), Seconds(0.009));
    EXPECT_EQ(grid.grid()->links(1, 0)->gap(Bytes(7)), Seconds(0.3));
    EXPECT_EQ(grid.grid()->links(0, 1)->latency(Bytes(7)), Seconds(0.0052));
    EXPECT_EQ(grid.grid()->shared[0].pairs[0], std::pair(std::size_t{0}, std::size_t{1}));

    const Network links = parse_network(links_example, "net");
    EXPECT_EQ(size(links), 2U) << "hosts";
    EXPECT_EQ(node_name(links, 1), "P2");
    EXPECT_EQ(links.links()->links[1].kind, LinksNetwork::Kind::backbone);
}

TEST(NetworkJson, reads_what_it_writes) {
    for (const auto* example : examples) {
        const Network network = parse_network(example, "net");
        const std::string text = to_text(to_json(network));
        const Network again = parse_network(text, "net");
        EXPECT_EQ(to_text(to_json(again)), text);
        EXPECT_EQ(fingerprint(again), fingerprint(network));
    }
}

TEST(NetworkJson, keeps_what_was_measured_and_ignores_free_keys) {
    Json document = Json::parse(grid_example);
    const Network plain = parse_network(document.dump(), "net");
    EXPECT_TRUE(plain.measured().is_null());
    document["measured"] = {{"at", "2026-11-21T00:00:00Z"}, {"spread", {1, 2}}};
    document["x-note"] = "anything";
    document["clusters"][0]["x-rack"] = {{"deep", -1}};
    document["clusters"][0]["local"]["x-y"] = nullptr;
    const Network network = parse_network(document.dump(), "net");
    EXPECT_EQ(network.measured(), document["measured"]);
    EXPECT_EQ(to_json(network)["measured"], document["measured"]);
    EXPECT_FALSE(to_json(network).contains("x-note"));
    EXPECT_EQ(fingerprint(network), fingerprint(plain));
}

TEST(NetworkJson, fingerprints_tell_networks_apart_but_not_spellings) {
    const std::string one = fingerprint(parse_network(grid_example, "net"));
    EXPECT_THAT(one, StartsWith("sha256:"));
    EXPECT_EQ(one.size(), 7U + 64U);
    Json document = Json::parse(grid_example);
    document["gap_s"][1][0] = 0.30;
    document["gap_s"][1][1] = nullptr;  // the diagonal is ignored
    Json reordered{{"version", 1.0}};
    for (const auto& [name, value] : document.items())
        if (name != "version") reordered[name] = value;
    EXPECT_EQ(fingerprint(parse_network(reordered.dump(), "net")), one);
    document["gap_s"][1][0] = 0.31;
    EXPECT_NE(fingerprint(parse_network(document.dump(), "net")), one);
    EXPECT_EQ(fingerprint(parse_network(sender_example, "elsewhere")),
              fingerprint(parse_network(sender_example, "net")));
}

TEST(NetworkJson, the_fingerprint_is_that_of_the_canonical_text) {
    // printf '%s' '<the text below>' | sha256sum
    const Network network = parse_network(sender_example, "net");
    EXPECT_EQ(
        to_json(network).dump(),
        R"({"format":"espalier-network","version":1,"model":"sender","time_unit":"s",)"
        R"("nodes":[{"name":"a","transmission_time":10.0},{"name":"b","transmission_time":5.0}]})");
    EXPECT_EQ(fingerprint(network),
              "sha256:53e7d6b2d8aedf04368f1e1b04bd2342135744ec16226889ac5d2746cbf19085");
}

TEST(NetworkJson, rejects_a_file_that_is_cut_off_anywhere) {
    for (const auto* example : examples) {
        const std::string text = example;
        for (std::size_t length = 0; length < text.size(); ++length)
            ASSERT_THAT(fault_of(text.substr(0, length)), StartsWith("net.json: line "));
    }
}

TEST(NetworkJson, rejects_every_missing_or_misspelt_field) {
    const std::vector<std::pair<const char*, std::vector<std::string>>> needed = {
        {sender_example,
         {"/format", "/version", "/model", "/nodes", "/nodes/1/name",
          "/nodes/1/transmission_time"}},
        {classes_example,
         {"/classes", "/classes/0/name", "/classes/0/transmission_time", "/classes/0/count"}},
        {pairwise_example, {"/nodes", "/nodes/0/name", "/startup_s", "/bandwidth_Bps"}},
        {grid_example,
         {"/clusters", "/latency_s", "/gap_s", "/clusters/0/name", "/clusters/0/nodes",
          "/clusters/1/size", "/clusters/0/local", "/clusters/1/broadcast_s",
          "/clusters/0/local/latency_s", "/clusters/0/local/gap_s", "/shared/0/name",
          "/shared/0/capacity_Bps", "/shared/0/pairs"}},
        {nested_example,
         {"/clusters/0/grid", "/clusters/0/grid/clusters", "/clusters/0/grid/latency_s",
          "/clusters/0/grid/gap_s"}},
        {links_example,
         {"/nodes", "/links", "/links/0/name", "/links/0/from", "/links/0/to", "/links/0/bandwidth",
          "/links/0/latency", "/links/0/kind"}},
    };
    for (const auto& [example, paths] : needed)
        for (const auto& path : paths) {
            const Json::json_pointer pointer(path);
            EXPECT_THAT(
                fault_after(example,
                            [&](Json& d) { d[pointer.parent_pointer()].erase(pointer.back()); }),
                StartsWith("net.json: "))
                << path;
            const auto misspell = [&](Json& d) {
                Json& parent = d[pointer.parent_pointer()];
                parent[pointer.back() + "_"] = parent[pointer.back()];
                parent.erase(pointer.back());
            };
            EXPECT_THAT(fault_after(example, misspell), StartsWith("net.json: ")) << path;
        }
}

struct Case {
    const char* example;
    std::string path;   ///< what is replaced
    std::string value;  ///< by this JSON
    std::string field;  ///< and is complained about
};

TEST(NetworkJson, rejects_every_wrong_value_naming_its_field) {
    const Case cases[] = {
        {sender_example, "/format", R"("espalier-schedule")", "format"},
        {sender_example, "/version", "2", "version"},
        {sender_example, "/model", R"("senders")", "model"},
        {sender_example, "/nodes", "[]", "nodes"},
        {sender_example, "/nodes", "{}", "nodes"},
        {sender_example, "/nodes/0/transmission_time", "0", "nodes[0].transmission_time"},
        {sender_example, "/nodes/0/transmission_time", "-1", "nodes[0].transmission_time"},
        {sender_example, "/nodes/0/transmission_time", R"("1")", "nodes[0].transmission_time"},
        {sender_example, "/nodes/1/name", R"("a")", "nodes"},
        {sender_example, "/nodes/1/name", R"("")", "nodes[1].name"},
        {sender_example, "/measured", "1", "measured"},
        {classes_example, "/classes/1/name", R"("old")", "classes"},
        {classes_example, "/classes/0/count", "0", "classes[0].count"},
        {classes_example, "/classes/0/count", "1.5", "classes[0].count"},
        {classes_example, "/nodes", "[]", "exactly one"},
        {pairwise_example, "/nodes/1/name", R"("AMES")", "nodes"},
        {pairwise_example, "/startup_s/0", "[0]", "startup_s[0]"},
        {pairwise_example, "/startup_s", "[[0,1]]", "startup_s"},
        {pairwise_example, "/startup_s/0/1", "-0.1", "startup_s[0][1]"},
        {pairwise_example, "/bandwidth_Bps/1/0", "0", "bandwidth_Bps[1][0]"},
        {pairwise_example, "/bandwidth_Bps/1/0", R"("fast")", "bandwidth_Bps[1][0]"},
        {pairwise_example, "/egress_Bps", "[1e6]", "egress_Bps"},
        {pairwise_example, "/ingress_Bps/1", "0", "ingress_Bps[1]"},
        {pairwise_example, "/time_unit", R"("s")", "time_unit"},
        {grid_example, "/clusters", "[]", "clusters"},
        {grid_example, "/clusters/1/name", R"("orsay")", "clusters[1].name"},
        {grid_example, "/clusters/0/nodes/1", R"("o-1")", "clusters[0].nodes"},
        {grid_example, "/clusters/0/nodes", "[]", "clusters[0]"},
        {grid_example, "/clusters/0/nodes/1", "7", "clusters[0].nodes[1]"},
        {grid_example, "/clusters/0/nodes/1", R"("toulouse-19")", "clusters"},
        {grid_example, "/clusters/0/size", "2", "clusters[0].size"},
        {grid_example, "/clusters/1/size", "0", "clusters[1].size"},
        {grid_example, "/clusters/1/size", "-3", "clusters[1].size"},
        {grid_example, "/clusters/0/broadcast_s", "1", "clusters[0]"},
        {grid_example, "/clusters/1/broadcast_s", "-1", "clusters[1].broadcast_s"},
        {grid_example, "/clusters/0/local/gap_s", "{}", "clusters[0].local.gap_s"},
        {grid_example, "/clusters/0/local/gap_s/1", "-1", "clusters[0].local.gap_s.1"},
        {grid_example, "/gap_s/0/1/64KiB", "1", "gap_s[0][1].64KiB"},
        {grid_example, "/gap_s/0/1/-1", "1", "gap_s[0][1].-1"},
        {grid_example, "/gap_s/0/1/01", "1", "gap_s[0][1]"},
        {grid_example, "/gap_s/1/0", "[]", "gap_s[1][0]"},
        {grid_example, "/gap_s/1/0", "true", "gap_s[1][0]"},
        {grid_example, "/gap_s/0", "[0]", "gap_s[0]"},
        {grid_example, "/latency_s/0/1", "-1", "latency_s[0][1]"},
        {grid_example, "/latency_s", "[[0,1],[1,0],[1,0]]", "latency_s"},
        {grid_example, "/shared/0/capacity_Bps", "0", "shared[0].capacity_Bps"},
        {grid_example, "/message_s", "-1", "message_s"},
        {grid_example, "/transport/burst_bytes", "0", "transport.burst_bytes"},
        {grid_example, "/transport/queue_s", "-1", "transport.queue_s"},
        {grid_example, "/transport", R"({"queue_s":0.1})", "transport.queue_s"},
        {grid_example, "/transport/shares", R"("by luck")", "transport.shares"},
        {grid_example, "/transport/restart_s", "0", "transport.restart_s"},
        {grid_example, "/transport/restart_s", "null", "transport.restart_s"},
        {grid_example, "/transport", R"({"restart_s":0.2})", "transport.restart_s"},
        {grid_example, "/transport/bursts", "1", "transport.bursts"},
        {grid_example, "/unstated", R"("unknown")", "unstated"},
        {grid_example, "/uncertainty", "0", "uncertainty"},
        {nested_example, "/clusters/0/grid/unstated", R"("shared")", "clusters[0].grid.unstated"},
        {grid_example, "/shared/0/pairs/0/1", R"("nowhere")", "shared[0].pairs[0][1]"},
        {grid_example, "/shared/0/pairs/0/1", R"("orsay")", "shared[0]"},
        {grid_example, "/shared/0/pairs/0", R"(["orsay"])", "shared[0].pairs[0]"},
        {grid_example, "/nodes", "[]", "nodes"},
        {nested_example, "/clusters/0/size", "4", "clusters[0]"},
        {nested_example, "/clusters/0/nodes", R"(["p","q","r"])", "clusters[0].nodes"},
        {nested_example, "/clusters/0/grid/clusters/1/nodes/0", R"("x-1")", "clusters"},
        {nested_example, "/clusters/0/grid/latency_s/0/1", "-1",
         "clusters[0].grid.latency_s[0][1]"},
        {nested_example, "/clusters/0/grid/measurd", "1", "clusters[0].grid.measurd"},
        {nested_example, "/latency_by_size_s/0/1/1", "31", "latency_by_size_s[0][1]"},
        {nested_example, "/latency_by_size_s", "[]", "latency_by_size_s"},
        {links_example, "/nodes/2/name", R"("P1")", "nodes[2].name"},
        {links_example, "/nodes/0/cycle_time", "0", "nodes[0].cycle_time"},
        {links_example, "/nodes/0/startup_s", "-1", "nodes[0].startup_s"},
        {links_example, "/links/1/name", R"("a")", "links[1].name"},
        {links_example, "/links/0/to", R"("P1")", "links"},
        {links_example, "/links/0/to", R"("r9")", "links[0].to"},
        {links_example, "/links/0/bandwidth", "0", "links[0].bandwidth"},
        {links_example, "/links/0/latency", "-1", "links[0].latency"},
        {links_example, "/links/0/latency", "null", "links[0].latency"},
        {links_example, "/links/0/kind", R"("both")", "links[0].kind"},
    };
    for (const Case& c : cases) {
        const auto replace = [&](Json& d) { d[Json::json_pointer(c.path)] = Json::parse(c.value); };
        EXPECT_THAT(fault_after(c.example, replace),
                    StartsWith("net.json: " + c.field + (c.field == "exactly one" ? "" : ": ")))
            << c.path << " = " << c.value;
    }
}

TEST(NetworkJson, rejects_numbers_that_are_none) {
    for (const auto* bad : {"NaN", "Infinity", "-Infinity", "1e999", "+1", "01", ".5", "0x10"}) {
        std::string text = sender_example;
        text.replace(text.find("10}"), 2, bad);
        EXPECT_THAT(fault_of(text), StartsWith("net.json: line 3: ")) << bad;
    }
}

TEST(NetworkJson, reads_both_halves_of_a_link_even_if_one_is_unknown) {
    EXPECT_EQ(fault_after(grid_example, [](Json& d) { d["latency_s"][0][1] = nullptr; }), "");
    EXPECT_THAT(fault_after(grid_example,
                            [](Json& d) {
                                d["latency_s"][1][0] = nullptr;
                                d["gap_s"][1][0] = -1;
                            }),
                StartsWith("net.json: gap_s[1][0]: "));
}

TEST(NetworkJson, shared_capacities_have_names_of_their_own) {
    EXPECT_THAT(fault_after(grid_example, [](Json& d) { d["shared"].push_back(d["shared"][0]); }),
                StartsWith("net.json: shared[1]: the name 'orsay-uplink' is used twice"));
}

TEST(NetworkJson, nodes_that_are_only_counted_have_names_of_their_own) {
    // Two sites with a cluster of one name each would both have a node x-0.
    Json document = Json::parse(nested_example);
    document["clusters"][1] = document["clusters"][0];
    document["clusters"][1]["name"] = "site2";
    document["clusters"][1]["grid"]["clusters"][1]["nodes"][0] = "z";
    EXPECT_THAT(fault_of(document.dump()),
                AllOf(StartsWith("net.json: clusters[1].grid.clusters[0]: "), HasSubstr("x-0")));
    document["clusters"][1]["grid"]["clusters"][0]["name"] = "w";
    document["clusters"][1]["grid"].erase("shared");
    EXPECT_EQ(fault_of(document.dump()), "");
    document["clusters"][1]["grid"]["clusters"][1]["nodes"][0] = "x-2";
    EXPECT_EQ(fault_of(document.dump()), "") << "x has but two";
}

TEST(NetworkJson, a_cluster_that_is_a_grid_may_list_its_nodes_as_the_grid_does) {
    EXPECT_EQ(fault_after(nested_example,
                          [](Json& d) {
                              d["clusters"][0]["nodes"] = {"x-0", "x-1", "y.host"};
                          }),
              "");
    EXPECT_EQ(fault_after(nested_example, [](Json& d) { d["clusters"][0]["size"] = 3; }), "");
    EXPECT_EQ(to_json(parse_network(nested_example, "net"))["clusters"][0]["size"], 3);
}

TEST(NetworkJson, unknown_is_null) {
    Json document = Json::parse(pairwise_example);
    document["bandwidth_Bps"][0][1] = nullptr;
    const Network network = parse_network(document.dump(), "net");
    EXPECT_FALSE(network.pairwise()->bandwidth(0, 1));
    EXPECT_TRUE(to_json(network)["bandwidth_Bps"][0][1].is_null());
    EXPECT_EQ(to_json(network)["startup_s"][0][1], 0.0345);
}

TEST(NetworkJson, a_run_holds_the_network_that_it_ran_on) {
    const Json network = Json::parse(pairwise_example);
    Json run{{"format", "espalier-run"}, {"version", 1}};
    EXPECT_EQ(fault_of(run.dump()), "net.json: network_described: is missing");
    run["network_described"] = network;
    EXPECT_EQ(fingerprint(parse_network(run.dump(), "net")),
              fingerprint(parse_network(network.dump(), "net")));
    run["network_described"]["bandwidth_Bps"] = 3;
    EXPECT_THAT(fault_of(run.dump()), HasSubstr("net.json: network_described.bandwidth_Bps: "));
}

}  // namespace
}  // namespace espalier::network
