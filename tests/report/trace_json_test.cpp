#include "report/trace_json.hpp"

#include "core/json_reader.hpp"
#include "report/exchange_plans.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace espalier::report {
namespace {

using schedule::Plan;
using test::exchange_plan;
using test::numbered;
using test::PlanBuilder;

Json trace_of(const Plan& plan) { return Json::parse(trace_json(plan, analyse(plan))); }

std::int64_t nanoseconds(const Json& microseconds) {
    return std::llround(microseconds.get<double>() * 1000);
}

struct Slice {
    std::int64_t from;
    std::int64_t to;
    std::string name;
};
using Track = std::pair<int, int>;

/// Reads a trace as its viewers do, and holds it to what they ask for.
struct Trace {
    std::map<Track, std::vector<Slice>> slices;
    std::map<int, std::string> processes;
    std::map<Track, std::string> threads;
    std::map<int, std::pair<Track, Track>> flows;

    explicit Trace(const Json& document) {
        std::map<int, std::int64_t> begun;
        std::map<int, Track> begun_on;
        for (const Json& event : document.at("traceEvents")) {
            const Track track{event.at("pid"), event.at("tid")};
            EXPECT_GT(track.first, 0);
            EXPECT_GT(track.second, 0);
            const std::string phase = event.at("ph");
            if (phase == "M") {
                const Json& args = event.at("args");
                if (event.at("name") == "process_name") processes[track.first] = args.at("name");
                if (event.at("name") == "thread_name") threads[track] = args.at("name");
                continue;
            }
            const std::int64_t at = nanoseconds(event.at("ts"));
            EXPECT_GE(at, 0);
            if (phase == "X") {
                const std::int64_t length = nanoseconds(event.at("dur"));
                EXPECT_GE(length, 0);
                slices[track].push_back({at, at + length, event.at("name")});
            } else if (phase == "s") {
                EXPECT_TRUE(begun.emplace(event.at("id"), at).second);
                begun_on[event.at("id")] = track;
                expect_enclosed(track, at);
            } else {
                EXPECT_EQ(phase, "f");
                EXPECT_EQ(event.at("bp"), "e");
                const int id = event.at("id");
                EXPECT_TRUE(begun.contains(id));
                EXPECT_LE(begun[id], at);
                EXPECT_TRUE(flows.emplace(id, std::pair(begun_on[id], track)).second);
                expect_enclosed(track, at);
            }
        }
        EXPECT_EQ(flows.size(), begun.size());
        std::set<int> ids;
        for (const auto& [track, name] : threads) EXPECT_TRUE(ids.insert(track.second).second);
        for (auto& [track, list] : slices) {
            EXPECT_TRUE(threads.contains(track));
            EXPECT_TRUE(processes.contains(track.first));
            for (std::size_t i = 1; i < list.size(); ++i)
                EXPECT_LE(list[i - 1].to, list[i].from) << threads[track];
        }
    }

    /// A flow belongs to the slice of its track that is open then; it was written before.
    void expect_enclosed(Track track, std::int64_t at) {
        ASSERT_FALSE(slices[track].empty());
        const Slice& last = slices[track].back();
        EXPECT_LE(last.from, at);
        EXPECT_GE(last.to, at);
    }
};

TEST(TraceJson, has_a_process_for_each_node_and_an_arrow_for_each_message) {
    const Plan plan = exchange_plan(numbered("n", 9), 11);
    const Trace trace(trace_of(plan));
    EXPECT_EQ(trace.processes.size(), 10U);
    EXPECT_EQ(trace.processes.at(1), "critical path");
    EXPECT_EQ(trace.processes.at(2), "n0");
    EXPECT_EQ(trace.flows.size(), plan.schedule.transfers.size());
    for (std::size_t t = 0; t < plan.schedule.transfers.size(); ++t) {
        const auto& [from, to] = trace.flows.at(static_cast<int>(t) + 1);
        EXPECT_EQ(from.first, static_cast<int>(plan.schedule.transfers[t].from) + 2);
        EXPECT_EQ(to.first, static_cast<int>(plan.schedule.transfers[t].to) + 2);
        EXPECT_EQ(trace.threads.at(from), "sends");
        EXPECT_EQ(trace.threads.at(to), "receives");
    }
}

TEST(TraceJson, times_are_in_microseconds) {
    PlanBuilder builder(schedule::Kind::broadcast, {"a", "b"}, Bytes(10));
    builder.send(0, 1, 0.5, 0.25, 0.125).local(1, "binomial", 1, 2);
    const Json document = trace_of(builder.plan);
    std::vector<std::tuple<std::string, double, double>> slices;
    for (const Json& event : document.at("traceEvents"))
        if (event.at("ph") == "X" && event.at("pid") != 1)
            slices.emplace_back(event.at("name"), event.at("ts"), event.at("dur"));
    EXPECT_THAT(slices, ::testing::UnorderedElementsAre(std::tuple("to b", 500000, 250000),
                                                        std::tuple("from a", 625000, 250000),
                                                        std::tuple("binomial", 1000000, 1000000)));
}

TEST(TraceJson, the_critical_path_is_one_track_without_holes) {
    const Plan plan = exchange_plan(numbered("n", 6), 2);
    const Trace trace(trace_of(plan));
    const auto& path = trace.slices.at({1, 1});
    EXPECT_EQ(path.size(), analyse(plan).path.steps.size());
    EXPECT_EQ(path.front().from, 0);
    EXPECT_EQ(path.back().to, std::llround(plan.timeline.makespan.value * 1e9));
    for (std::size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i - 1].to, path[i].from);
}

TEST(TraceJson, messages_at_once_have_tracks_of_their_own) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b", "c"}, Bytes(10));
    builder.send(0, 1, 0, 2, 0).send(0, 2, 1, 3, 0).send(0, 1, 2, 0, 0);
    builder.plan.schedule.ports.count = 2;
    const Trace trace(trace_of(builder.plan));
    std::vector<std::string> names;
    for (const auto& [track, name] : trace.threads)
        if (track.first == 2) names.push_back(name);
    EXPECT_THAT(names, ::testing::UnorderedElementsAre("sends", "sends 2"));
}

TEST(TraceJson, what_touches_but_for_rounding_does_not_overlap) {
    // A difference of far less than a billionth of the makespan, and of more than a nanosecond.
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b", "c"}, Bytes(10));
    builder.send(0, 1, 0, 1000, 0).send(0, 2, 1000 - 5e-7, 1e6, 0);
    const Trace trace(trace_of(builder.plan));
    EXPECT_EQ(trace.slices.at({2, 2}).size(), 2U);
}

TEST(TraceJson, any_name_is_allowed) {
    const Plan plan = exchange_plan({"\"a\"", "b\\\n", "\xff"}, 2);
    const Trace trace(trace_of(plan));
    EXPECT_EQ(trace.processes.at(2), "\"a\"");
    EXPECT_EQ(trace.processes.at(3), "b\\\n");
}

}  // namespace
}  // namespace espalier::report
