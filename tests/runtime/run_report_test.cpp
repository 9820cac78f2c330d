#include "runtime/logic/run_report.hpp"

#include <gmock/gmock.h>

namespace espalier::runtime {
namespace {

TEST(RunReport, counts_calls_and_tells_least_and_median) {
    RunReport report;
    RunReport::Call call;
    call.communicator_size = 4;
    call.bytes = Bytes(64);
    call.algorithm = "ecef";
    for (const double elapsed : {0.4, 0.1, 0.3, 0.2})
        report.add(call, {"", 8, Seconds(0.25), Bytes(64)}, Seconds(elapsed));
    call.algorithm = "native";
    report.add(call, {"no network"}, Seconds(1));
    const Json json = report.to_json({"openmpi", "net.json", "sha256:0", 4});
    EXPECT_EQ(json["format"], "espalier-run");
    EXPECT_EQ(json["version"], 1);
    EXPECT_EQ(json["network"], "sha256:0");
    ASSERT_EQ(json["calls"].size(), 2u);
    const Json& planned = json["calls"][0];
    EXPECT_EQ(planned["algorithm"], "ecef");
    EXPECT_EQ(planned["calls"], 4);
    EXPECT_EQ(planned["segments"], 8);
    EXPECT_DOUBLE_EQ(planned["predicted_s"], 0.25);
    EXPECT_DOUBLE_EQ(planned["measured_s"]["min"], 0.1);
    EXPECT_DOUBLE_EQ(planned["measured_s"]["median"], 0.25);
    EXPECT_EQ(json["calls"][1]["reason"], "no network");
    EXPECT_FALSE(json["calls"][1].contains("predicted_s"));
}

TEST(RunReport, counts_calls_that_pass_through_by_name) {
    RunReport report;
    EXPECT_EQ(report.to_json({"openmpi", "", "", 4})["passed_through"], Json::object());
    for (const char* name : {"MPI_Ibcast", "MPI_Alltoallw", "MPI_Ibcast"}) report.add_passed(name);
    const Json json = report.to_json({"openmpi", "", "", 4});
    EXPECT_EQ(json["passed_through"], (Json{{"MPI_Alltoallw", 1}, {"MPI_Ibcast", 2}}));
    EXPECT_TRUE(json["calls"].empty());
}

TEST(RunReport, tells_of_an_exchange_what_was_chosen_and_why) {
    RunReport report;
    RunReport::Call call;
    call.kind = schedule::Kind::alltoall;
    call.communicator_size = 4;
    call.uneven = true;
    call.algorithm = "caterpillar";
    RunReport::Expectation expectation;
    expectation.exchange = {3, Seconds(0.2), "measured", 2, 4};
    report.add(call, expectation, Seconds(0.5));
    const Json entry = report.to_json({"openmpi", "net.json", "", 4})["calls"][0];
    EXPECT_EQ(entry["collective"], "alltoallv");
    EXPECT_EQ(entry["ports"], 3);
    EXPECT_EQ(entry["choice"], "measured");
    EXPECT_EQ(entry["agreements"], 2);
    EXPECT_EQ(entry["gatherings"], 4);
    EXPECT_DOUBLE_EQ(entry["lower_bound_s"], 0.2);
    EXPECT_FALSE(entry.contains("predicted_s"));
    EXPECT_FALSE(entry.contains("segments"));
}

}  // namespace
}  // namespace espalier::runtime
