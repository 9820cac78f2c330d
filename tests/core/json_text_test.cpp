#include "core/json_text.hpp"

#include "core/json_reader.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace espalier {
namespace {

TEST(JsonText, has_a_line_for_each_field_and_each_entry_of_an_array) {
    const Json document{
        {"format", "f"}, {"names", {"a", "b"}}, {"rows", {{0, 1.5}, {2, 0}}}, {"none", nullptr}};
    EXPECT_EQ(to_text(document),
              "{\n \"format\": \"f\",\n \"names\": [\"a\",\"b\"],\n \"rows\": [\n  [0,1.5],\n"
              "  [2,0]\n ],\n \"none\": null\n}\n");
}

TEST(JsonText, writes_what_has_no_fields_in_one_line) {
    EXPECT_EQ(to_text(Json::object()), "{}\n");
    EXPECT_EQ(to_text(Json::array({1, 2})), "[1,2]\n");
}

TEST(JsonText, loses_nothing) {
    EXPECT_TRUE(rc::check([](const std::vector<std::vector<double>>& rows, double number) {
        Json document{{"a\"b\n", number}, {"rows", rows}, {"deep", {{"x", {{"y", rows}}}}}};
        RC_ASSERT(Json::parse(to_text(document)) == document);
    }));
}

}  // namespace
}  // namespace espalier
