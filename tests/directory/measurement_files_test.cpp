#include "directory/measurement_files.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "directory/measurement_text.hpp"
#include "memory_source.hpp"
#include "random_measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MeasurementFile parsed(const std::string& text) {
    Json storage;
    return parse_measurements(JsonValue::parse("m.json", text, storage));
}

TEST(MeasurementsAsJson, come_back_as_they_were) {
    Random random(5);
    auto measurements = random_measurements(random, 100);
    measurements.push_back(measured(1.25, {"a", ""}, Bandwidth{0.1}));
    const MeasurementFile back = parsed(to_json_text("here", {"n1", "n0"}, measurements));
    EXPECT_EQ(back.measurements, measurements);
    EXPECT_THAT(back.nodes, ElementsAre("n1", "n0"));
    EXPECT_TRUE(parsed(to_json_text("here", {}, {})).measurements.empty());
}

std::string complaint_of_json(const std::string& measurement) {
    try {
        (void)parsed(R"({"format":"espalier-measurements","version":1,"measurements":[)" +
                     measurement + "]}");
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(MeasurementsAsJson, that_are_wrong_are_refused_with_file_and_field) {
    const std::string begin = R"({"at":"2026-11-21T00:00:00Z","by":"x","from":"a","to":"b",)";
    EXPECT_EQ(complaint_of_json(begin + R"("quantity":"latency","value":1})"), "");
    for (const auto& [rest, complaint] :
         {std::pair(R"("quantity":"latency"})", "m.json: measurements[0].value: is missing"),
          {R"("quantity":"speed","value":1})", "m.json: measurements[0].quantity: 'speed'"},
          {R"("quantity":"gap","value":1})", "m.json: measurements[0]: the size"},
          {R"("quantity":"bandwidth","value":0})", "m.json: measurements[0]: a bandwidth"},
          {R"("quantity":"latency","value":1,"colour":2})", "colour: unknown field"},
          {R"("quantity":"latency","value":1,"meanwhile":[["c"]]})", "meanwhile[0]: 2 entries"}})
        EXPECT_THAT(complaint_of_json(begin + rest), HasSubstr(complaint));
}

TEST(MeasurementsAsCsv, may_leave_out_what_has_a_default) {
    const MeasurementDefaults defaults{second(9), "file"};
    const auto file = parse_measurement_csv(
        "to,from,value,quantity,size,meanwhile\n"
        "b,a,10ms,latency,,\n\n"
        "b,a,1.5MB/s,bandwidth,64KiB,\"c:d,e:80:f:80\"\n",
        "m.csv", defaults);
    ASSERT_EQ(file.measurements.size(), 2U);
    Measurement first = measured(9, {"a", "b"}, Latency{0.01});
    first.by = "file";
    EXPECT_EQ(file.measurements[0], first);
    Measurement next = measured(9, {"a", "b"}, Bandwidth{1.5e6}, {{"c", "d"}, {"e:80", "f:80"}});
    next.by = "file";
    next.size = Bytes(65536);
    EXPECT_EQ(file.measurements[1], next);
}

TEST(MeasurementsAsCsv, that_are_wrong_are_refused_with_line_and_column) {
    const auto complaint = [](const std::string& text) -> std::string {
        try {
            (void)parse_measurement_csv(text, "m.csv", {second(0), "x"});
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(complaint("from,to,value\n"), HasSubstr("line 1: the column 'quantity'"));
    EXPECT_THAT(complaint("from,to,value,quantity,to\n"), HasSubstr("'to' stands there twice"));
    EXPECT_THAT(complaint("from,to,value,quantity\na,b\n"), HasSubstr("line 2: 2 cells"));
    EXPECT_THAT(complaint("from,to,value,quantity\na,b,1,latency\na,b,-1,latency\n"),
                HasSubstr("line 3: value"));
    EXPECT_THAT(complaint("from,to,value,quantity,at\na,b,1,latency,noon\n"),
                HasSubstr("line 2: at"));
    EXPECT_THAT(complaint("from,to,value,quantity,size\na,b,1,gap,\n"),
                HasSubstr("line 2: the size"));
    EXPECT_EQ(complaint("from,to,value,quantity\n"), "");
}

TEST(MeasurementsAsCsv, are_told_from_tables_of_pairs_by_their_first_line) {
    EXPECT_TRUE(is_measurement_csv("at, by, from, to, value\n"));
    EXPECT_FALSE(is_measurement_csv(",a,b\na,,1\nb,1,\n"));
    EXPECT_FALSE(is_measurement_csv(""));
}

TEST(Pairs, divide_at_the_middle_colon) {
    EXPECT_EQ(parse_pair("a:b", "x"), (Pair{"a", "b"}));
    EXPECT_EQ(parse_pair("h:1:k:2", "x"), (Pair{"h:1", "k:2"}));
    for (const char* text : {"", "a", ":", "a:", ":b", "a:b:c"})
        EXPECT_THROW((void)parse_pair(text, "x"), InputError) << text;
    EXPECT_EQ(to_string(parse_pair("a:b", "x")), "a:b");
}

}  // namespace
}  // namespace espalier::directory
