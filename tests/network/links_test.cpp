#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/convert.hpp"
#include "network/json.hpp"
#include "network/partition/metric.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <string>

namespace espalier::network {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string fault_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

/// Two hosts and a router, what each host sends in total, and the routes of both.
std::string text_with(const std::string& routes) {
    return R"({"format":"espalier-network","version":1,"model":"links",
        "nodes":[{"name":"p","cycle_time":1},{"name":"r"},{"name":"q","cycle_time":2}],
        "links":[
         {"name":"pr","from":"p","to":"r","bandwidth":10,"latency":1,"kind":"bidirectional"},
         {"name":"rq","from":"r","to":"q","bandwidth":4,"latency":2,"kind":"directed"},
         {"name":"qr","from":"q","to":"r","bandwidth":5,"latency":3,"kind":"directed"},
         {"name":"sent by p","bandwidth":3,"latency":0.5,"kind":"directed"}],
        "routes":[)" +
           routes + "]}";
}

constexpr const char* there = R"({"from":"p","to":"q","links":["sent by p","pr","rq"]})";
constexpr const char* back = R"({"from":"q","to":"p","links":["qr","pr"]})";

Network read(const std::string& routes) { return parse_network(text_with(routes), "net"); }

TEST(LinksNetwork, routes_and_links_without_ends_are_read_and_written) {
    const std::string both = std::string(there) + "," + back;
    const Network network = read(both);
    const LinksNetwork& links = *network.links();
    EXPECT_FALSE(links.links[3].ends);
    ASSERT_EQ(links.routes.size(), 2U);
    EXPECT_THAT(links.routes[0].links, ElementsAre(3, 0, 1));
    EXPECT_EQ(to_json(network), Json::parse(text_with(both)));
    EXPECT_EQ(fingerprint(network), fingerprint(parse_network(to_json(network).dump(), "net")));
}

TEST(LinksNetwork, messages_take_the_listed_routes_where_there_are_any) {
    const Network network = read(std::string(there) + "," + back);
    const LinksNetwork& links = *network.links();
    const auto paths = routes(links, links.hosts());
    EXPECT_THAT(paths[0][1], ElementsAre(3, 0, 1));
    EXPECT_THAT(paths[1][0], ElementsAre(2, 0));
    EXPECT_THAT(paths[0][0], IsEmpty());
    const PairwiseNetwork pairwise = to_pairwise(links);
    EXPECT_THAT(pairwise.nodes, ElementsAre("p", "q"));
    EXPECT_THAT(pairwise.cycle_times, ElementsAre(1, 2));
    EXPECT_DOUBLE_EQ(pairwise.bandwidth(0, 1)->value, 3) << "the link without ends";
    EXPECT_DOUBLE_EQ(pairwise.startup(0, 1)->value, 3.5);
    EXPECT_DOUBLE_EQ(pairwise.bandwidth(1, 0)->value, 5);
    EXPECT_DOUBLE_EQ(pairwise.startup(1, 0)->value, 4);
    const Metric hops = to_metric(network, MetricKind::hops);
    EXPECT_EQ(hops.distance(0, 1), 3);
    EXPECT_EQ(hops.distance(1, 0), 2);
    EXPECT_DOUBLE_EQ(*to_metric(network, MetricKind::latency).distance(0, 1), 3.5);
}

TEST(LinksNetwork, routes_are_one_for_each_ordered_pair_of_hosts) {
    const std::string both = std::string(there) + "," + back;
    EXPECT_EQ(fault_of([&] { (void)read(there); }), "net: routes: there is none from 'q' to 'p'");
    EXPECT_EQ(fault_of([&] { (void)read(both + "," + there); }),
              "net: routes[2]: one more route from 'p' to 'q'");
    EXPECT_EQ(fault_of([&] { (void)read(both + R"(,{"from":"p","to":"p","links":[]})"); }),
              "net: routes[2]: it leads from 'p' to itself");
    EXPECT_EQ(fault_of([&] { (void)read(both + R"(,{"from":"p","to":"r","links":["pr"]})"); }), "")
        << "a router may have one, too";
    EXPECT_EQ(fault_of([&] { (void)read(""); }),
              "net: links: 'sent by p' has no ends, and there are no routes");
}

TEST(LinksNetwork, a_route_leads_from_where_it_begins_to_where_it_ends) {
    const auto fault = [](const std::string& links) {
        return fault_of([&] {
            (void)read(std::string(back) + R"(,{"from":"p","to":"q","links":)" + links + "}");
        });
    };
    EXPECT_EQ(fault(R"(["pr","rq"])"), "");
    EXPECT_EQ(fault(R"(["pr","rq","sent by p"])"), "");
    EXPECT_EQ(fault(R"(["sent by p"])"), "") << "it may lead anywhere";
    EXPECT_EQ(fault("[]"), "") << "nothing is in the way";
    EXPECT_EQ(fault(R"(["pr"])"), "net: routes[1]: it ends at 'r', not 'q'");
    EXPECT_EQ(fault(R"(["rq"])"), "net: routes[1]: link 'rq' does not lead on from 'p'");
    EXPECT_EQ(fault(R"(["pr","qr"])"), "net: routes[1]: link 'qr' does not lead on from 'r'")
        << "against its direction";
    EXPECT_EQ(fault(R"(["sent by p","qr"])"), "net: routes[1]: it ends at 'r', not 'q'");
    EXPECT_EQ(fault(R"(["pr","no"])"), "net: routes[1].links[1]: no link is named 'no'");
}

TEST(LinksNetwork, complains_with_field_and_reason) {
    const auto fault = [](std::string text, const std::string& find, const std::string& replace) {
        text.replace(text.find(find), find.size(), replace);
        return fault_of([&] { (void)parse_network(text, "net"); });
    };
    const std::string good = text_with(std::string(there) + "," + back);
    EXPECT_EQ(fault(good, R"("bandwidth":4)", R"("bandwidth":0)"),
              "net: links[1].bandwidth: 0 where a positive number was expected");
    EXPECT_EQ(fault(good, R"("cycle_time":2)", R"("cycle_time":0)"),
              "net: nodes[2].cycle_time: 0 where a positive number was expected");
    EXPECT_EQ(fault(good, R"("from":"r",)", ""), "net: links[1].from: is missing");
    EXPECT_EQ(fault(good, R"("to":"q","bandwidth")", R"("to":"r","bandwidth")"),
              "net: links: 'rq' joins a node to itself");
    EXPECT_EQ(fault(good, R"({"name":"qr")", R"({"name":"pr")"),
              "net: links[2].name: the name 'pr' is used twice");
}

TEST(CycleTimes, are_read_and_written_with_pairwise_nodes_all_or_none) {
    const auto text = [](const std::string& a, const std::string& b) {
        return R"({"format":"espalier-network","version":1,"model":"pairwise","nodes":[{"name":"a")" +
               a + R"(},{"name":"b")" + b +
               R"(}],"startup_s":[[0,1],[1,0]],"bandwidth_Bps":[[0,2],[2,0]]})";
    };
    const std::string both = text(R"(,"cycle_time":1.5)", R"(,"cycle_time":2)");
    const Network network = parse_network(both, "net");
    EXPECT_THAT(network.pairwise()->cycle_times, ElementsAre(1.5, 2));
    EXPECT_EQ(to_json(network), Json::parse(both));
    const auto fault = [&](const std::string& a, const std::string& b) {
        return fault_of([&] { (void)parse_network(text(a, b), "net"); });
    };
    EXPECT_EQ(fault("", ""), "");
    EXPECT_EQ(fault(R"(,"cycle_time":1)", ""),
              "net: nodes[1]: it has no cycle_time, and others have one");
    EXPECT_EQ(fault("", R"(,"cycle_time":1)"),
              "net: nodes[1]: it has a cycle_time, and others have none");
    EXPECT_EQ(fault(R"(,"cycle_time":0)", R"(,"cycle_time":1)"),
              "net: nodes[0].cycle_time: 0 where a positive number was expected");
}

/// A cluster of two, and one that is a grid of one cluster.
std::string grid_text(const std::string& outer, const std::string& nested,
                      const std::string& inner) {
    return R"({"format":"espalier-network","version":1,"model":"grid","clusters":[
        {"name":"a","size":2,"local":{"latency_s":1,"gap_s":2})" +
           outer + R"(},{"name":"b","grid":{"clusters":[{"name":"c","nodes":["x"])" + inner +
           R"(}],"latency_s":[[0]],"gap_s":[[0]]})" + nested +
           R"(}],"latency_s":[[0,1],[1,0]],"gap_s":[[0,2],[2,0]]})";
}

TEST(CycleTimes, are_lists_of_clusters_in_nested_grids_of_the_inner_ones) {
    const std::string text = grid_text(R"(,"cycle_times":[1,3])", "", R"(,"cycle_times":[4])");
    const Network network = parse_network(text, "net");
    const Json written = to_json(network);
    EXPECT_EQ(written["clusters"][0]["cycle_times"], Json({1.0, 3.0}));
    EXPECT_EQ(written["clusters"][1]["grid"]["clusters"][0]["cycle_times"], Json({4.0}));
    EXPECT_EQ(to_json(parse_network(written.dump(), "net")), written);
    const auto fault = [](const std::string& outer, const std::string& nested,
                          const std::string& inner) {
        return fault_of([&] { (void)parse_network(grid_text(outer, nested, inner), "net"); });
    };
    EXPECT_EQ(fault("", "", R"(,"cycle_times":[4])"), "") << "known of some clusters alone";
    EXPECT_EQ(fault(R"(,"cycle_times":[1])", "", ""),
              "net: clusters[0].cycle_times: 2 entries were expected, not 1");
    EXPECT_EQ(fault(R"(,"cycle_times":[1,0])", "", ""),
              "net: clusters[0].cycle_times[1]: 0 where a positive number was expected");
    EXPECT_EQ(fault("", R"(,"cycle_times":[1])", ""),
              "net: clusters[1].cycle_times: they belong to the clusters of its grid");
}

TEST(CycleTimes, stay_with_the_nodes_in_conversions_where_all_are_known) {
    const Network all =
        parse_network(grid_text(R"(,"cycle_times":[1,3])", "", R"(,"cycle_times":[4])"), "net");
    const PairwiseNetwork pairwise = to_pairwise(*all.grid(), Bytes(8));
    EXPECT_THAT(pairwise.cycle_times, ElementsAre(1, 3, 4));
    const GridNetwork grid = to_grid(pairwise);
    EXPECT_THAT(grid.clusters[1].cycle_times, ElementsAre(3));
    const Network some = parse_network(grid_text("", "", R"(,"cycle_times":[4])"), "net");
    EXPECT_THAT(to_pairwise(*some.grid(), Bytes(8)).cycle_times, IsEmpty());
}

TEST(CycleTimes, of_networks_that_are_made_in_memory_are_checked_too) {
    PairwiseNetwork pairwise{{"a"}, {1, 1}, {1, 1}, {}, {}, {1, 2}};
    EXPECT_EQ(fault_of([&] { const Network network(pairwise); }),
              "network: nodes: 1 cycle times were expected, not 2");
    pairwise.cycle_times = {-1};
    EXPECT_EQ(fault_of([&] { const Network network(pairwise); }),
              "network: nodes: a cycle time must be positive");
}

}  // namespace
}  // namespace espalier::network
