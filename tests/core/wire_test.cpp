#include "core/wire.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace espalier {
namespace {

struct Point {
    std::uint16_t x = 0;
    double y = 0;
};

TEST(Wire, brings_values_of_all_kinds_as_they_were_sent) {
    WireWriter to;
    to(std::uint8_t{7}, std::string("a\0b", 3), std::vector<std::vector<int>>{{1, 2}, {}, {3}},
       std::optional<double>(), std::optional<std::string>("there"), true);
    const std::string bytes = to.bytes();

    WireReader from(bytes);
    EXPECT_EQ(from.take<std::uint8_t>(), 7);
    EXPECT_EQ(from.take<std::string>(), std::string("a\0b", 3));
    EXPECT_EQ(from.take<std::vector<std::vector<int>>>(),
              (std::vector<std::vector<int>>{{1, 2}, {}, {3}}));
    std::optional<double> none = 1;
    std::optional<std::string> some;
    from(none, some);
    EXPECT_EQ(none, std::nullopt);
    EXPECT_EQ(some, "there");
    EXPECT_FALSE(from.done());
    EXPECT_TRUE(from.take<bool>());
    EXPECT_TRUE(from.done());
}

TEST(Wire, brings_plain_structures_and_lists_of_them) {
    WireWriter to;
    to(std::vector<Point>{{1, 0.5}, {2, -3}});
    const std::string bytes = to.bytes();
    const auto points = WireReader(bytes).take<std::vector<Point>>();
    ASSERT_EQ(points.size(), 2U);
    EXPECT_EQ(points[1].x, 2);
    EXPECT_EQ(points[1].y, -3);
}

TEST(Wire, reads_nothing_beyond_the_end_of_a_message) {
    WireWriter to;
    to(std::string("a text"), std::vector<double>{1, 2});
    const std::string whole = to.bytes();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string cut = whole.substr(0, size);
        WireReader from(cut);
        std::string text;
        std::vector<double> list;
        EXPECT_THROW(from(text, list), std::out_of_range) << size;
    }
}

}  // namespace
}  // namespace espalier
