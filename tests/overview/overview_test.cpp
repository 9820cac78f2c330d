#include "overview/overview.hpp"

#include "core/json_reader.hpp"
#include "network/json.hpp"
#include "overview/text.hpp"
#include "overview/units.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <string>

namespace espalier::overview {
namespace {

Overview read(const std::string& text) {
    return overview_of(network::parse_network(text, "test.json"));
}

std::string to_text(const Overview& overview) {
    return to_text(overview, std::numeric_limits<std::size_t>::max());
}

/// Three clusters of two nodes, 10 ms and 1 MB/s apart; `more` are further fields.
std::string three_clusters(const std::string& more) {
    return R"({"format":"espalier-network","version":1,"model":"grid",
 "clusters":[{"name":"a","size":2,"local":{"latency_s":5e-5,"gap_s":{"1":0,"1000000":0.01}}},
             {"name":"b","size":2,"local":{"latency_s":5e-5,"gap_s":{"1":0,"1000000":0.01}}},
             {"name":"c","size":2,"local":{"latency_s":5e-5,"gap_s":{"1":0,"1000000":0.01}}}],
 "latency_s":[[0,0.01,0.01],[0.01,0,0.01],[0.01,0.01,0]],
 "gap_s":[[0,{"1":0,"1000000":1},{"1":0,"1000000":1}],
          [{"1":0,"1000000":1},0,{"1":0,"1000000":1}],
          [{"1":0,"1000000":1},{"1":0,"1000000":1},0]])" +
           more + "}";
}

std::string who(const std::string& pairs) {
    const Overview overview = read(
        three_clusters(R"(,"shared":[{"name":"s","capacity_Bps":1e6,"pairs":[)" + pairs + "]}]"));
    return who_shares(overview, overview.capacities.at(0));
}

TEST(Overview, says_who_draws_on_a_capacity) {
    EXPECT_EQ(who(R"(["a","b"],["a","c"])"), "a to all others");
    EXPECT_EQ(who(R"(["a","b"],["c","b"])"), "all others to b");
    EXPECT_EQ(who(R"(["a","b"])"), "a to b");
    EXPECT_EQ(who(R"(["a","b"],["b","a"])"), "a to b and back");
    EXPECT_EQ(who(R"(["a","b"],["a","c"],["b","a"],["c","a"])"), "a to all others and back");
    EXPECT_EQ(who(R"(["a","b"],["a","c"],["b","a"],["b","c"],["c","a"],["c","b"])"),
              "all among themselves");
    EXPECT_EQ(who(R"(["a","b"],["b","c"])"), "2 pairs among a, b, c");
}

TEST(Overview, finds_the_end_at_which_a_capacity_lies) {
    const Overview overview = read(three_clusters(
        R"(,"shared":[{"name":"up","capacity_Bps":1e6,"pairs":[["a","b"],["a","c"]]},
                      {"name":"down","capacity_Bps":1e6,"pairs":[["a","b"],["c","b"]]},
                      {"name":"both","capacity_Bps":1e6,"pairs":[["c","b"],["b","c"],["c","a"],["a","c"]]}])"));
    const auto expect = [&](std::size_t capacity, std::size_t group, bool sends, bool receives) {
        const Side side = side_of(overview.capacities.at(capacity));
        EXPECT_EQ(side.groups, std::vector<std::size_t>{group});
        EXPECT_EQ(side.sends, sends);
        EXPECT_EQ(side.receives, receives);
    };
    expect(0, 0, true, false);
    expect(1, 1, false, true);
    expect(2, 2, true, true);
}

TEST(Overview, one_unit_serves_all_numbers_of_a_table) {
    const Overview overview = read(three_clusters(""));
    EXPECT_EQ(time_unit(overview, {5e-5, 3e-4}).name, "us");
    EXPECT_EQ(time_unit(overview, {5e-5, 0.13}).name, "ms");
    EXPECT_EQ(time_unit(overview, {1e-6, 0.13}).name, "us");
    EXPECT_EQ(time_unit(overview, {0.02, 4}).name, "s");
    EXPECT_EQ(rate_unit(overview, {625'000, 6.25e7}).name, "Mbit/s");
    EXPECT_EQ(rate_unit(overview, {1.25e8, 1.25e9}).name, "Gbit/s");
    EXPECT_EQ((Unit{1e-3, "ms"}.number(0.0521234)), "52.1");
    EXPECT_EQ((Unit{1e-3, "ms"}.number(12.3456)), "12346");
    EXPECT_EQ((Unit{1e-3, "ms"}.with_name(0)), "0 ms");
}

TEST(Overview, of_a_network_that_several_runs_measured_says_what_each_had) {
    const Overview overview = read(three_clusters(
        R"(,"measured":{"at":"2026-11-21T00:00:00Z","by":"espalier measure","seconds":6.08,"budget_s":3.45})"));
    EXPECT_THAT(to_text(overview), testing::HasSubstr("in 6.08 s, 3.45 s a run."));
}

TEST(Overview, shows_clusters_costs_capacities_and_what_is_not_known) {
    const Overview overview = read(three_clusters(
        R"(,"shared":[{"name":"a up","capacity_Bps":2e6,"pairs":[["a","b"],["a","c"]]}],
            "measured":{"at":"2026-11-21T00:00:00Z","by":"espalier measure","mpi":"Some MPI 1.0, of 2020",
             "ranks":12,"hosts":6,"seconds":9.5,"budget_s":10,"spread":[[0.01,0.4,null]],
             "shared":[{"name":"a up","apart_Bps":3e6,"rounds":0}],
             "warnings":["the budget left no time for 3 rounds"]})"));
    EXPECT_EQ(to_text(overview), R"(grid of 3 clusters, 6 nodes

  #  cluster  nodes  latency inside (us)  rate inside (Mbit/s)
  1  a            2                   50                   800
  2  b            2                   50                   800
  3  c            2                   50                   800

Latency, row to column (ms):

  from   1   2   3
     1      10  10
     2  10      10
     3  10  10

Rate of one large message, row to column (Mbit/s):

  from  1  2  3
     1     8  8
     2  8     8
     3  8  8

Shared capacities:

  capacity         Mbit/s  MB/s  who draws on it
  a up (presumed)      16     2  a to all others

Messages share evenly.
Predictions may be off by 25%.
Measured 2026-11-21T00:00:00Z by espalier measure (Some MPI 1.0), 12 ranks on 6 hosts, in 9.5 s of 10 s.
Samples of one link differ by 20% (median), at most by 40% (a to b).

Not known; measure again while hosts and network have nothing else to do:
  - 1 link exactly: samples differ by over 25%

Not known; measure for longer: --budget was 10 s:
  - what messages share between 1 of 3 pairs of clusters (b and c): they are presumed to share what one gets alone, both ways together
  - the capacity of a up: presumed from what passed, never seen full
  - the budget left no time for 3 rounds
)");
}

TEST(Overview, passes_over_what_it_does_not_understand_of_measured) {
    const Overview overview = read(three_clusters(
        R"(,"unstated":"separate","measured":{"at":7,"by":["x"],"warnings":{"a":1},"spread":[[1e9,"x"],3],"shared":[5,{"name":"q"}],"ranks":"many"})"));
    ASSERT_EQ(overview.unknown.size(), 1U);
    EXPECT_EQ(overview.unknown[0].what, "1 link exactly: samples differ by over 25%");
}

TEST(Overview, shows_senders_in_their_own_unit) {
    EXPECT_EQ(to_text(read(
                  R"({"format":"espalier-network","version":1,"model":"sender","time_unit":"ticks",
 "classes":[{"name":"old","transmission_time":3,"count":500000},{"name":"new","transmission_time":1,"count":2}]})")),
              R"(sender of 2 classes, 500002 nodes

  #  class   nodes  a message takes (ticks)
  1  old    500000                        3
  2  new         2                        1
)");
}

TEST(Overview, shows_pairs_and_names_those_of_which_nothing_is_known) {
    EXPECT_EQ(to_text(read(R"({"format":"espalier-network","version":1,"model":"pairwise",
 "nodes":[{"name":"AMES"},{"name":"ANL"}],
 "startup_s":[[0,0.0345],[null,0]],"bandwidth_Bps":[[0,64000],[null,0]],
 "egress_Bps":[1e6,2e6],"ingress_Bps":[1e6,1e6]})")),
              R"(pairwise of 2 nodes

  #  node  a node sends (Mbit/s)  receives (Mbit/s)
  1  AMES                      8                  8
  2  ANL                      16                  8

Latency, row to column (ms):

  from  1     2
     1     34.5
     2  -

Rate of one large message, row to column (kbit/s):

  from  1    2
     1     512
     2  -

Not known:
  - latencies or rates of 1 of the 2 ordered pairs of nodes: ANL to AMES
)");
}

TEST(Overview, shows_a_physical_graph_in_the_units_of_its_file) {
    const std::string text =
        to_text(read(R"({"format":"espalier-network","version":1,"model":"links",
 "nodes":[{"name":"P1","cycle_time":1.5},{"name":"P2","cycle_time":1},{"name":"r1"}],
 "links":[{"name":"a","from":"P1","to":"r1","bandwidth":10,"latency":0,"kind":"bidirectional"},
          {"name":"b","from":"r1","to":"P2","bandwidth":4,"latency":0.5,"kind":"bidirectional"}]})"));
    EXPECT_EQ(text, R"(links of 2 hosts, 1 router

  #  host  cycle time
  1  P1           1.5
  2  P2             1

Latency, row to column:

  from    1    2
     1       0.5
     2  0.5

Rate of one large message, row to column:

  from  1  2
     1     4
     2  4

Shared capacities:

  capacity  rate  who draws on it
  a           10  2 pairs among P1, P2
  b            4  2 pairs among P1, P2

Times and rates are in the file's own units.
)");
}

TEST(Overview, stays_readable_however_many_there_are) {
    std::string names;
    std::string row;
    for (int i = 0; i < 100; ++i) {
        names += (i == 0 ? "" : ",") + std::string(R"({"name":"n)") + std::to_string(i) + "\"}";
        row += i == 0 ? "1" : ",1";
    }
    std::string rows;
    for (int i = 0; i < 100; ++i) rows += (i == 0 ? "[" : ",[") + row + "]";
    const std::string text =
        to_text(read(R"({"format":"espalier-network","version":1,"model":"pairwise","nodes":[)" +
                     names + R"(],"startup_s":[)" + rows + R"(],"bandwidth_Bps":[)" + rows + "]}"));
    EXPECT_NE(text.find("\n40 of 100 nodes are left out.\n"), std::string::npos);
    EXPECT_NE(text.find("nearest"), std::string::npos);
    EXPECT_NE(text.find("espalier partition finds clusters of like nodes"), std::string::npos);
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
        EXPECT_LT(text.find('\n', begin) - begin, 110U);
}

}  // namespace
}  // namespace espalier::overview
