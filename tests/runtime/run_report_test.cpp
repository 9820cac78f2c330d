#include "runtime/logic/run_report.hpp"

#include "core/json_reader.hpp"
#include "runs/summary.hpp"

#include <gmock/gmock.h>

#include <string>

namespace espalier::runtime {
namespace {

void add(RunReport& report, const RunReport::Call& call, const RunReport::Expectation& expectation,
         Seconds elapsed) {
    report.add(
        call, {}, [&] { return expectation; }, elapsed);
}

TEST(RunReport, counts_calls_and_tells_least_and_median) {
    RunReport report;
    RunReport::Call call;
    call.communicator_size = 4;
    call.bytes = Bytes(64);
    call.algorithm = "ecef";
    for (const double elapsed : {0.4, 0.1, 0.3, 0.2})
        add(report, call, {"", 8, Seconds(0.25), Bytes(64)}, Seconds(elapsed));
    call.algorithm = "native";
    add(report, call, {"no network"}, Seconds(1));
    const Json json = report.to_json(
        {.mpi = "openmpi", .network = "net.json", .fingerprint = "sha256:0", .ranks = 4});
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
    EXPECT_DOUBLE_EQ(planned["measured_s"]["sum"], 1);
    EXPECT_EQ(json["calls"][1]["reason"], "no network");
    EXPECT_FALSE(json["calls"][1].contains("predicted_s"));
}

TEST(RunReport, says_the_same_so_far_as_in_the_end) {
    RunReport report;
    RunReport::Call call;
    call.communicator_size = 4;
    call.bytes = Bytes(64);
    call.algorithm = "ecef";
    RunReport::Expectation known{"", 8, Seconds(0.25), Bytes(64)};
    known.bound = Seconds(0.1);
    known.choice = "words";
    known.planning = Seconds(0.5);
    known.taken = Seconds(0.3);
    known.gain = {Seconds(0.3), Seconds(0.7), true};
    add(report, call, known, Seconds(0.2));
    call.algorithm = "native";
    known.reason = "no network";
    add(report, call, known, Seconds(1));
    report.add_passed("MPI_Ibcast");
    const RunReport::Heading heading{.program = "p",
                                     .mpi = "openmpi",
                                     .network = "net.json",
                                     .fingerprint = "sha256:0",
                                     .ranks = 4,
                                     .elapsed = Seconds(9)};
    Json storage;
    const runs::Run end =
        runs::read_run(JsonValue::parse("run", report.to_json(heading).dump(), storage));
    const runs::Run now = report.so_far(heading);
    EXPECT_EQ(now.program, end.program);
    EXPECT_EQ(now.elapsed, end.elapsed);
    EXPECT_EQ(now.passed, end.passed);
    ASSERT_EQ(now.calls.size(), end.calls.size());
    for (std::size_t k = 0; k < end.calls.size(); ++k) {
        const runs::Call& a = now.calls[k];
        const runs::Call& b = end.calls[k];
        EXPECT_EQ(a.collective, b.collective);
        EXPECT_EQ(a.algorithm, b.algorithm);
        EXPECT_EQ(a.ranks, b.ranks);
        EXPECT_EQ(a.bytes, b.bytes);
        EXPECT_EQ(a.calls, b.calls);
        EXPECT_EQ(a.reason, b.reason);
        EXPECT_EQ(a.choice, b.choice);
        EXPECT_EQ(a.predicted, b.predicted);
        EXPECT_EQ(a.bound, b.bound);
        EXPECT_EQ(a.taken, b.taken);
        EXPECT_EQ(a.sum, b.sum);
        EXPECT_EQ(a.planning, b.planning);
        EXPECT_EQ(a.saved(), b.saved());
    }
}

TEST(RunReport, describes_a_call_anew_only_in_another_state) {
    RunReport report;
    std::size_t described = 0;
    const auto describe = [&] {
        RunReport::Expectation expectation;
        expectation.choice = std::to_string(++described);
        return expectation;
    };
    const auto choice = [&] { return report.to_json({})["calls"][0]["choice"].get<std::string>(); };
    for (int call = 0; call < 3; ++call) report.add({}, {nullptr, 1}, describe, Seconds(1));
    EXPECT_EQ(choice(), "1");
    report.add({}, {nullptr, 2}, describe, Seconds(1));
    EXPECT_EQ(choice(), "2");
    report.add({}, {&report, 2}, describe, Seconds(1));
    EXPECT_EQ(choice(), "3");
}

TEST(RunReport, tells_what_plans_gain_and_how_that_is_known) {
    RunReport report;
    RunReport::Expectation expectation;
    expectation.gain = {Seconds(1), Seconds(3), true};
    add(report, {}, expectation, Seconds(0.5));
    const Json gain = report.to_json({})["calls"][0]["gain"];
    EXPECT_EQ(gain, (Json{{"planned_s", 1.0}, {"native_s", 3.0}, {"measured", true}}));
}

TEST(RunReport, counts_calls_that_pass_through_by_name) {
    RunReport report;
    EXPECT_EQ(report.to_json({})["passed_through"], Json::object());
    for (const char* name : {"MPI_Ibcast", "MPI_Alltoallw", "MPI_Ibcast"}) report.add_passed(name);
    const Json json = report.to_json({});
    EXPECT_EQ(json["passed_through"], (Json{{"MPI_Alltoallw", 1}, {"MPI_Ibcast", 2}}));
    EXPECT_TRUE(json["calls"].empty());
}

TEST(RunReport, tells_what_was_chosen_and_why) {
    RunReport report;
    RunReport::Call call;
    call.kind = schedule::Kind::alltoall;
    call.communicator_size = 4;
    call.uneven = true;
    call.algorithm = "caterpillar";
    RunReport::Expectation expectation;
    expectation.ports = 3;
    expectation.bound = Seconds(0.2);
    expectation.choice = "measured";
    expectation.agreements = 2;
    expectation.gatherings = 4;
    expectation.staging_bytes = 77;
    add(report, call, expectation, Seconds(0.5));
    const Json entry = report.to_json({})["calls"][0];
    EXPECT_EQ(entry["ports"], 3);
    EXPECT_EQ(entry["choice"], "measured");
    EXPECT_EQ(entry["agreements"], 2);
    EXPECT_EQ(entry["gatherings"], 4);
    EXPECT_EQ(entry["staging_bytes"], 77);
    EXPECT_DOUBLE_EQ(entry["lower_bound_s"], 0.2);
    EXPECT_FALSE(entry.contains("predicted_s"));
}

TEST(RunReport, tells_of_mpis_own_calls_only_what_there_is_to_tell) {
    RunReport report;
    RunReport::Expectation expectation;
    expectation.reason = "measured: slower";
    add(report, {}, expectation, Seconds(0.5));
    const Json entry = report.to_json({})["calls"][0];
    for (const char* field : {"choice", "agreements", "gatherings", "ports", "segments"})
        EXPECT_FALSE(entry.contains(field)) << field;
}

TEST(RunReport, names_collectives_as_mpi_does) {
    using schedule::Kind;
    const auto name = [](Kind kind, bool uneven, bool among_neighbours = false) {
        RunReport report;
        RunReport::Call call;
        call.kind = kind;
        call.uneven = uneven;
        call.among_neighbours = among_neighbours;
        add(report, call, {}, Seconds(1));
        return report.to_json({})["calls"][0]["collective"].get<std::string>();
    };
    EXPECT_EQ(name(Kind::alltoall, true), "alltoallv");
    EXPECT_EQ(name(Kind::gather, true), "gatherv");
    EXPECT_EQ(name(Kind::allgather, false), "allgather");
    EXPECT_EQ(name(Kind::reduce_scatter, true), "reduce-scatter");
    EXPECT_EQ(name(Kind::reduce_scatter, false), "reduce-scatter-block");
    EXPECT_EQ(name(Kind::exscan, false), "exscan");
    EXPECT_EQ(name(Kind::alltoall, true, true), "neighbor-alltoallv");
    EXPECT_EQ(name(Kind::allgather, false, true), "neighbor-allgather");
}

TEST(RunReport, finds_calls_by_the_names_that_it_gives_them) {
    for (const std::string name :
         {"broadcast", "allgather", "allgatherv", "gatherv", "scatterv", "reduce-scatter",
          "reduce-scatter-block", "alltoall", "alltoallv", "barrier", "exscan",
          "neighbor-allgatherv", "neighbor-alltoall"}) {
        const auto call = RunReport::find_call(name);
        ASSERT_TRUE(call) << name;
        EXPECT_EQ(RunReport::name_of(*call), name);
    }
    for (const std::string name :
         {"", "v", "bcast", "broadcastv", "scanv", "allreducev", "reduce-scatterv", "gather-block",
          "neighbor-", "neighbor-broadcast", "neighbor-gatherv", "native"})
        EXPECT_FALSE(RunReport::find_call(name)) << name;
}

TEST(RunReport, of_calls_that_were_not_timed_is_read) {
    RunReport::Call call;
    call.algorithm = "ecef";
    Json run = RunReport::heading_json({.mpi = "mpich", .ranks = 2});
    run["calls"] = {RunReport::call_json(call, 0, {"", 1, Seconds(0.5)})};
    run["calls"][0]["exact"] = false;
    Json storage;
    const runs::Run read = runs::read_run(JsonValue::parse("run", run.dump(), storage));
    ASSERT_EQ(read.calls.size(), 1U);
    EXPECT_EQ(read.calls[0].calls, 0U);
    EXPECT_EQ(read.calls[0].predicted, Seconds(0.5));
    EXPECT_EQ(read.calls[0].sum, Seconds(0));
    EXPECT_FALSE(read.calls[0].exact);
    EXPECT_THAT(runs::summary(read), testing::Not(testing::HasSubstr("nan")));
}

}  // namespace
}  // namespace espalier::runtime
