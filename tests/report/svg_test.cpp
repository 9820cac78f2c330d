#include "report/svg.hpp"

#include "report/svg_reader.hpp"

#include <gtest/gtest.h>

namespace espalier::report {
namespace {

using test::Element;
using test::XmlReader;

TEST(Svg, text_comes_back_as_it_was) {
    const std::string name = R"(a<b> & "c" 'd' é 日本 ]]>)";
    Svg svg(100, 50, name);
    svg.text(1, 2, name);
    svg.rect(0, 0, 1, 1, {{"class", name}}, name + "\nsecond line");
    const Element root = XmlReader::read(std::move(svg).finish());
    EXPECT_EQ(root.get("aria-label"), name);
    ASSERT_EQ(root.children.size(), 3U);
    EXPECT_EQ(root.children[1].text, name);
    EXPECT_EQ(root.children[2].get("class"), name);
    EXPECT_EQ(root.children[2].children.at(0).text, name + "\nsecond line");
}

TEST(Svg, what_xml_forbids_is_replaced) {
    const std::string replacement = "\xef\xbf\xbd";
    EXPECT_EQ(escape_xml(std::string("a\0b", 3)), "a" + replacement + "b");
    EXPECT_EQ(escape_xml("\x1b[0m"), replacement + "[0m");
    EXPECT_EQ(escape_xml("\xff"), replacement);
    EXPECT_EQ(escape_xml("caf\xc3"), "caf" + replacement);                  // cut short
    EXPECT_EQ(escape_xml("\xc0\x80"), replacement + replacement);           // overlong
    EXPECT_EQ(escape_xml("\xed\xa0\x80").find('\xed'), std::string::npos);  // a surrogate
    EXPECT_EQ(escape_xml("\xef\xbf\xbe"), replacement);                     // U+FFFE
    EXPECT_EQ(escape_xml("\xf0\x9f\x8c\xb3"), "\xf0\x9f\x8c\xb3");
}

TEST(Svg, numbers_are_short_and_have_no_exponent) {
    EXPECT_EQ(coordinate(0), "0");
    EXPECT_EQ(coordinate(-0.001), "0");
    EXPECT_EQ(coordinate(1.5), "1.5");
    EXPECT_EQ(coordinate(100), "100");
    EXPECT_EQ(coordinate(1e9), "1000000000");
    EXPECT_EQ(coordinate(-12.345), "-12.35");
}

TEST(Svg, closes_what_it_opens) {
    Svg svg(10, 10, "x");
    {
        const auto outer = svg.group({{"class", "outer"}});
        const auto inner = svg.group({{"class", "inner"}});
        svg.line(0, 0, 1, 1);
    }
    svg.rect(0, 0, 1, 1);
    const Element root = XmlReader::read(std::move(svg).finish());
    ASSERT_EQ(root.children.size(), 3U);
    EXPECT_EQ(root.children[1].get("class"), "outer");
    EXPECT_EQ(root.children[1].children.at(0).children.at(0).tag, "line");
    EXPECT_EQ(root.children[2].tag, "rect");
}

TEST(Svg, text_width_grows_with_letters_not_with_bytes) {
    EXPECT_DOUBLE_EQ(text_width("", 12), 0);
    EXPECT_LT(text_width("iiii", 12), text_width("mmmm", 12));
    EXPECT_DOUBLE_EQ(text_width("abab", 12), 2 * text_width("ab", 12));
    EXPECT_DOUBLE_EQ(text_width("ab", 24), 2 * text_width("ab", 12));
    EXPECT_LT(text_width("é", 12), 1.01 * 12);  // two bytes, one letter
}

}  // namespace
}  // namespace espalier::report
