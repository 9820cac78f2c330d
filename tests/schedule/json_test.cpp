#include "schedule/json.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace espalier::schedule {
namespace {

using espalier::testing::two_trees;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A plan that uses every field.
Plan rich_plan() {
    Plan plan;
    plan.schedule = two_trees();
    plan.schedule.chunks[1].segments = 3;
    plan.schedule.chunks.push_back({Bytes(1), 1, {}, {}, true});
    plan.schedule.transfers[0].segments = 2;
    plan.schedule.transfers[2].after = 0;
    plan.schedule.algorithm = "hand";
    plan.schedule.network = "sha256:0";
    plan.schedule.epoch = 5;
    plan.schedule.ports = {Ports::Duplex::full, 2};
    plan.schedule.local = {{1, "binomial", nullptr, Seconds(0.25), 4, LocalPart::Phase::after},
                           {2, "flat", nullptr, Seconds(0.5), 1, LocalPart::Phase::before}};
    for (std::size_t t = 0; t < 4; ++t)
        plan.timeline.transfers.push_back(
            {Seconds(0.1 * static_cast<double>(t)), Seconds(0), Seconds(0), Seconds(1.0 / 3)});
    plan.timeline.local = {{Seconds(1), Seconds(1.25)}, {Seconds(0), Seconds(0.5)}};
    plan.timeline.makespan = Seconds(1.25);
    plan.lower_bound = Seconds(0.7);
    plan.scope = BoundScope::any;
    plan.optimal = true;
    return plan;
}

std::string fault_of(const std::string& text) {
    try {
        static_cast<void>(parse_schedule(text, "plan.json"));
    } catch (const InputError& fault) {
        return fault.what();
    }
    return "";
}

/// The rich plan's document with one thing changed.
std::string fault_after(const std::function<void(Json&)>& change) {
    Json document = to_json(rich_plan());
    change(document);
    return fault_of(document.dump());
}

TEST(ScheduleJson, reads_all_that_it_writes) {
    const Plan plan = rich_plan();
    const std::string text = to_text(to_json(plan));
    const StatedPlan read = parse_schedule(text, "plan.json");
    EXPECT_TRUE(read.has_times);
    EXPECT_TRUE(read.has_makespan);
    EXPECT_EQ(to_text(to_json(read.plan)), text);
    EXPECT_EQ(to_json_text(read.plan), text);
    EXPECT_EQ(read.plan.schedule.local[1].phase, LocalPart::Phase::before);
    EXPECT_EQ(read.plan.schedule.local[1].duration, Seconds(0.5));
    EXPECT_EQ(read.plan.timeline.transfers[3].start, plan.timeline.transfers[3].start);
    EXPECT_EQ(read.plan.schedule.transfers[2].after, 0U);
    EXPECT_TRUE(read.plan.schedule.chunks[2].control);
}

/// An exchange of uneven blocks that uses what only exchanges have.
Plan uneven_exchange() {
    Plan plan;
    plan.schedule = espalier::testing::total_exchange();
    Matrix<Bytes> sizes(3, 3, Bytes(100));
    sizes(0, 1) = Bytes(7);
    plan.schedule.chunks[0].bytes = Bytes(7);
    plan.schedule.chunks[0].deadline = Seconds(0.25);
    plan.schedule.chunks[1].priority = 2.5;
    plan.schedule.collective.sizes = std::make_shared<const Matrix<Bytes>>(sizes);
    plan.schedule.reception = {Reception::Mode::interleaved, 0.125, {}};
    plan.schedule.barriers = {3};
    return plan;
}

TEST(ScheduleJson, reads_what_only_exchanges_have) {
    const Plan plan = uneven_exchange();
    const std::string text = to_json_text(plan);
    const Schedule read = parse_schedule(text, "plan.json").plan.schedule;
    EXPECT_EQ(to_json_text({.schedule = read}), text);
    EXPECT_EQ(read.collective.block(0, 1), Bytes(7));
    EXPECT_EQ(read.collective.block(1, 0), Bytes(100));
    EXPECT_EQ(read.chunks[0].deadline, Seconds(0.25));
    EXPECT_EQ(read.chunks[1].priority, 2.5);
    EXPECT_EQ(read.reception, plan.schedule.reception);
    EXPECT_EQ(read.barriers, plan.schedule.barriers);
}

TEST(ScheduleJson, a_matrix_of_sizes_has_the_order_of_the_nodes_and_belongs_to_exchanges) {
    Json document = to_json(uneven_exchange());
    document["sizes"][1] = {1, 2};
    EXPECT_THAT(fault_of(document.dump()), StartsWith("plan.json: sizes[1]: "));
    document["sizes"][1] = {1, -2, 3};
    EXPECT_THAT(fault_of(document.dump()), StartsWith("plan.json: sizes[1][1]: "));
}

TEST(ScheduleJson, reads_all_collectives_that_it_writes) {
    using namespace espalier::testing;
    for (const Schedule& schedule : one_of_every_kind()) {
        SCOPED_TRACE(name_of(schedule.collective.kind));
        Plan plan;
        plan.schedule = schedule;
        plan.schedule.collective.ordered = true;
        const std::string text = to_text(to_json(plan));
        const StatedPlan read = parse_schedule(text, "plan.json");
        EXPECT_FALSE(read.has_times);
        EXPECT_EQ(to_text(to_json(read.plan)), text);
        EXPECT_EQ(to_json_text(read.plan), text);
        EXPECT_EQ(read.plan.schedule.collective.kind, schedule.collective.kind);
        EXPECT_TRUE(read.plan.schedule.collective.ordered);
        for (std::size_t node = 0; node < schedule.nodes.size(); ++node)
            EXPECT_EQ(read.plan.schedule.collective.block(node), schedule.collective.block(node));
        EXPECT_EQ(read.plan.schedule.chunks.back().source, schedule.chunks.back().source);
        EXPECT_EQ(read.plan.schedule.chunks.back().target, schedule.chunks.back().target);
    }
}

TEST(ScheduleJson, blocks_are_one_for_each_node_and_belong_to_what_has_them) {
    using namespace espalier::testing;
    Plan plan;
    plan.schedule = with_blocks(gather(), {5, 70, 20, 90});
    const Json right = to_json(plan);
    EXPECT_EQ(right.at("blocks"), Json({5, 70, 20, 90}));
    const auto fault_with = [&](const Json& blocks) {
        Json document = right;
        document["blocks"] = blocks;
        return fault_of(document.dump());
    };
    EXPECT_EQ(fault_with({5, 70, 90}), "plan.json: blocks: 4 sizes were expected");
    EXPECT_THAT(fault_with({5, 70, 20, -90}), StartsWith("plan.json: blocks[3]: "));
    EXPECT_EQ(fault_with({5, 70, 20, 30}),
              "plan.json: blocks: the largest has 70 bytes, and the collective is stated to have "
              "90");
    EXPECT_THAT(fault_after([](Json& d) {
                    d["blocks"] = {200, 200, 200};
                }),
                StartsWith("plan.json: blocks: only a scatter, gather, "));
}

TEST(ScheduleJson, a_barrier_carries_no_bytes) {
    Json document = to_json({.schedule = espalier::testing::barrier()});
    EXPECT_EQ(document.at("bytes"), 0);
    document["bytes"] = 8;
    EXPECT_EQ(fault_of(document.dump()), "plan.json: bytes: a barrier carries no bytes");
}

TEST(ScheduleJson, reads_the_contracts_example) {
    const StatedPlan read = parse_schedule(
        R"({"format":"espalier-schedule","version":1,"collective":"broadcast","nodes":["a","b"],
            "root":"a","bytes":1048576,"network":"sha256:0","ports":"full-duplex",
            "algorithm":"ecef","chunks":[{"id":0,"bytes":1048576,"segments":1}],
            "makespan":0.31,"lower_bound":0.28,"bound_scope":"whole-message","optimal":false,
            "x-note":{"any":[1]}, "measured":{"by":"hand"},
            "transfers":[{"from":"a","to":"b","chunk":0,"op":"copy","start":0,"end":0.11}],
            "local":[{"node":"b","strategy":"binomial","start":0.11,"end":0.31}]})",
        "plan.json");
    EXPECT_EQ(read.plan.schedule.collective.bytes, Bytes(1048576));
    EXPECT_EQ(read.plan.timeline.makespan, Seconds(0.31));
    EXPECT_EQ(read.plan.timeline.transfers[0].end, Seconds(0.11));
    EXPECT_EQ(read.plan.schedule.local[0].node, 1U);
}

TEST(ScheduleJson, rejects_any_missing_field_that_it_needs) {
    for (const auto* name : {"format", "version", "collective", "nodes", "root", "bytes", "ports",
                             "chunks", "transfers"})
        EXPECT_THAT(fault_after([&](Json& d) { d.erase(name); }),
                    AllOf(StartsWith("plan.json: "), HasSubstr(name), HasSubstr("missing")));
    for (const auto* name : {"from", "to", "chunk", "op"})
        EXPECT_THAT(fault_after([&](Json& d) { d["transfers"][1].erase(name); }),
                    HasSubstr(std::string("transfers[1].") + name));
    for (const auto* name : {"id", "bytes", "segments"})
        EXPECT_THAT(fault_after([&](Json& d) { d["chunks"][1].erase(name); }),
                    HasSubstr(std::string("chunks[1].") + name));
    for (const auto* name : {"node", "strategy", "start", "end"})
        EXPECT_THAT(fault_after([&](Json& d) { d["local"][1].erase(name); }),
                    HasSubstr(std::string("local[1].") + name));
}

TEST(ScheduleJson, rejects_unknown_fields_everywhere) {
    EXPECT_THAT(fault_after([](Json& d) { d["rot"] = 1; }), HasSubstr("rot: unknown"));
    EXPECT_THAT(fault_after([](Json& d) { d["transfers"][0]["rot"] = 1; }),
                HasSubstr("transfers[0].rot: unknown"));
    EXPECT_THAT(fault_after([](Json& d) { d["chunks"][0]["rot"] = 1; }),
                HasSubstr("chunks[0].rot: unknown"));
    EXPECT_THAT(fault_after([](Json& d) { d["local"][0]["rot"] = 1; }),
                HasSubstr("local[0].rot: unknown"));
    EXPECT_EQ(fault_after([](Json& d) { d["transfers"][0]["x-rot"] = 1; }), "");
}

TEST(ScheduleJson, rejects_wrong_values_naming_their_field) {
    struct Case {
        std::function<void(Json&)> change;
        std::string field;
    };
    const Case cases[] = {
        {[](Json& d) { d["format"] = "espalier-network"; }, "format"},
        {[](Json& d) { d["version"] = 2; }, "version"},
        {[](Json& d) { d["collective"] = "broadkast"; }, "collective"},
        {[](Json& d) { d["nodes"] = Json::array(); }, "nodes"},
        {[](Json& d) { d["nodes"][1] = "a"; }, "nodes[1]"},
        {[](Json& d) { d["nodes"][1] = 7; }, "nodes[1]"},
        {[](Json& d) { d["root"] = "z"; }, "root"},
        {[](Json& d) { d["bytes"] = -1; }, "bytes"},
        {[](Json& d) { d["bytes"] = 1.5; }, "bytes"},
        {[](Json& d) { d["bytes"] = "1"; }, "bytes"},
        {[](Json& d) { d["ports"] = "0-port"; }, "ports"},
        {[](Json& d) { d["makespan"] = -1; }, "makespan"},
        {[](Json& d) { d["lower_bound"] = nullptr; }, "lower_bound"},
        {[](Json& d) { d["bound_scope"] = "some"; }, "bound_scope"},
        {[](Json& d) { d["optimal"] = 1; }, "optimal"},
        {[](Json& d) { d["chunks"] = Json::object(); }, "chunks"},
        {[](Json& d) { d["chunks"][1]["id"] = 0; }, "chunks[1].id"},
        {[](Json& d) { d["chunks"][1]["segments"] = 0; }, "chunks[1].segments"},
        {[](Json& d) { d["chunks"][1]["source"] = "z"; }, "chunks[1].source"},
        {[](Json& d) { d["transfers"][1]["from"] = "z"; }, "transfers[1].from"},
        {[](Json& d) { d["transfers"][1]["chunk"] = 3; }, "transfers[1].chunk"},
        {[](Json& d) { d["transfers"][1]["chunks"] = 3; }, "transfers[1].chunk"},
        {[](Json& d) { d["transfers"][1]["op"] = "move"; }, "transfers[1].op"},
        {[](Json& d) { d["transfers"][1]["end"] = 0; }, "transfers[1].end"},
        {[](Json& d) { d["transfers"][1].erase("end"); }, "transfers[1]"},
        {[](Json& d) {
             d["transfers"][1].erase("start");
             d["transfers"][1].erase("end");
         },
         "transfers"},
        {[](Json& d) { d["local"][0]["end"] = 0; }, "local[0].end"},
        {[](Json& d) { d["local"][0]["phase"] = "during"; }, "local[0].phase"},
        {[](Json& d) { d["reception"] = "interleaved:-1"; }, "reception"},
        {[](Json& d) { d["reception"] = "buffered"; }, "reception"},
        {[](Json& d) {
             d["barriers"] = {2, 2};
         },
         "barriers[1]"},
        {[](Json& d) { d["barriers"] = {5}; }, "barriers[0]"},
        {[](Json& d) { d["sizes"] = Json::array(); }, "sizes"},
        {[](Json& d) { d["chunks"][0]["deadline"] = -1; }, "chunks[0].deadline"},
        {[](Json& d) { d["chunks"][0]["priority"] = 0; }, "chunks[0].priority"},
    };
    for (const auto& [change, field] : cases)
        EXPECT_THAT(fault_after(change),
                    AllOf(StartsWith("plan.json: " + field + ": "), Not(HasSubstr("\n"))));
}

TEST(ScheduleJson, a_file_that_is_cut_off_anywhere_is_rejected) {
    const std::string text = to_text(to_json(rich_plan()));
    for (std::size_t length = 0; length + 2 < text.size(); ++length)
        ASSERT_THAT(fault_of(text.substr(0, length)), StartsWith("plan.json: ")) << length;
}

}  // namespace
}  // namespace espalier::schedule
