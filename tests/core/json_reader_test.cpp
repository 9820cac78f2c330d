#include "core/json_reader.hpp"

#include "core/error.hpp"
#include "core/json_text.hpp"

#include <gmock/gmock.h>

#include <functional>

namespace espalier {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string fault_of(const std::string& text, const std::function<void(const JsonValue&)>& read) {
    Json storage;
    try {
        read(JsonValue::parse("f.json", text, storage));
    } catch (const InputError& fault) {
        EXPECT_EQ(fault.status(), ExitStatus::bad_input);
        EXPECT_THAT(fault.what(), Not(HasSubstr("\n")));
        return fault.what();
    }
    return "";
}

void nothing(const JsonValue&) {}

TEST(JsonReader, names_the_line_where_a_file_is_no_json) {
    EXPECT_EQ(fault_of("", nothing), "f.json: line 1: the file is empty");
    EXPECT_THAT(fault_of("{\n \"a\": 1,\n \"b\": ", nothing), StartsWith("f.json: line 3: "));
    EXPECT_THAT(fault_of("{\"a\": NaN}", nothing), StartsWith("f.json: line 1: "));
    EXPECT_THAT(fault_of("{\"a\": -Infinity}", nothing), StartsWith("f.json: line 1: "));
    EXPECT_THAT(fault_of("{} {}", nothing), StartsWith("f.json: line 1: "));
    EXPECT_EQ(fault_of("{\n\"a\":\n 1e999}", nothing),
              "f.json: line 3: the number 1e999 is out of range");
}

TEST(JsonReader, rejects_a_name_that_stands_twice_in_one_object) {
    EXPECT_EQ(fault_of(R"({"a":1,"b":{"a":2,"c":1,"c":1}})", nothing),
              "f.json: c: stands twice in one object");
    EXPECT_EQ(fault_of(R"({"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]})", nothing), "");
}

TEST(JsonReader, names_the_field_of_every_wrong_value) {
    const std::string text =
        R"({"n":{"list":[1,-1,"x",null,2.5,true,"",0]},"deep":{"er":{"field":1}}})";
    const auto at = [&](std::size_t index, const std::function<void(const JsonValue&)>& read) {
        return fault_of(text, [&](const JsonValue& document) {
            read(document.at("n").at("list").array().at(index));
        });
    };
    const auto number = [](const JsonValue& v) { static_cast<void>(v.number()); };
    const auto positive = [](const JsonValue& v) { static_cast<void>(v.positive()); };
    const auto count = [](const JsonValue& v) { static_cast<void>(v.count(2)); };
    const auto string = [](const JsonValue& v) { static_cast<void>(v.string()); };
    const auto boolean = [](const JsonValue& v) { static_cast<void>(v.boolean()); };
    EXPECT_EQ(at(0, number), "");
    EXPECT_THAT(at(0, count), AllOf(StartsWith("f.json: n.list[0]: "), HasSubstr("at least 2")));
    EXPECT_THAT(at(1, number), AllOf(StartsWith("f.json: n.list[1]: "), HasSubstr("negative")));
    EXPECT_THAT(at(2, number), StartsWith("f.json: n.list[2]: "));
    EXPECT_THAT(at(3, number), StartsWith("f.json: n.list[3]: "));
    EXPECT_THAT(at(4, count), StartsWith("f.json: n.list[4]: a whole number"));
    EXPECT_EQ(at(4, positive), "");
    EXPECT_EQ(at(5, boolean), "");
    EXPECT_THAT(at(0, boolean), StartsWith("f.json: n.list[0]: "));
    EXPECT_THAT(at(6, string), StartsWith("f.json: n.list[6]: an empty text"));
    EXPECT_THAT(at(0, string), StartsWith("f.json: n.list[0]: "));
    EXPECT_THAT(at(7, positive), StartsWith("f.json: n.list[7]: "));
    const auto deep = [&](const std::function<void(const JsonValue&)>& read) {
        return fault_of(text, [&](const JsonValue& d) { read(d.at("deep").at("er")); });
    };
    EXPECT_EQ(deep([](const JsonValue& v) { static_cast<void>(v.at("fields")); }),
              "f.json: deep.er.fields: is missing");
    EXPECT_THAT(deep([](const JsonValue& v) { v.allow_only({"x"}); }),
                StartsWith("f.json: deep.er.field: unknown"));
    EXPECT_THAT(deep([](const JsonValue& v) { static_cast<void>(v.array()); }),
                StartsWith("f.json: deep.er: an array"));
    EXPECT_THAT(
        fault_of(text,
                 [](const JsonValue& d) { static_cast<void>(d.at("n").at("list").array(3)); }),
        StartsWith("f.json: n.list: 3 entries"));
}

TEST(JsonReader, whole_numbers_end_where_doubles_skip_some) {
    const auto count = [](const JsonValue& v) { static_cast<void>(v.at("a").count()); };
    EXPECT_EQ(fault_of(R"({"a":9007199254740992})", count), "");
    EXPECT_NE(fault_of(R"({"a":9007199254740994})", count), "");
    EXPECT_NE(fault_of(R"({"a":18446744073709551615})", count), "");
    EXPECT_EQ(fault_of(R"({"a":1e3})", count), "");
}

TEST(JsonReader, requires_format_and_version_one) {
    const auto format = [](const JsonValue& v) { require_format(v, "espalier-x"); };
    EXPECT_EQ(fault_of(R"({"format":"espalier-x","version":1})", format), "");
    EXPECT_THAT(fault_of(R"({"format":"espalier-y","version":1})", format),
                StartsWith("f.json: format: 'espalier-x'"));
    EXPECT_THAT(fault_of(R"({"format":"espalier-x","version":2})", format),
                StartsWith("f.json: version: "));
    EXPECT_THAT(fault_of(R"({"version":1})", format), StartsWith("f.json: format: is missing"));
    EXPECT_THAT(fault_of(R"([1])", format), StartsWith("f.json: "));
}

TEST(JsonText, keeps_every_number_and_the_order_of_fields) {
    const Json document{{"z", 0.1},
                        {"a", 1.0 / 3},
                        {"empty", Json::array()},
                        {"names", {"x", "y"}},
                        {"rows", {{1e-300, 1}, {9007199254740991, 0.30000000000000004}}}};
    const std::string text = to_text(document);
    EXPECT_EQ(Json::parse(text), document);
    EXPECT_EQ(Json::parse(text).dump(), document.dump());
    EXPECT_EQ(text.back(), '\n');
    EXPECT_THAT(text, HasSubstr("\n \"names\": [\"x\",\"y\"],\n"));
    EXPECT_EQ(to_text(Json::object()), "{}\n");
}

}  // namespace
}  // namespace espalier
