#include "network/cost_table.hpp"
#include "core/infinity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace espalier::network {
namespace {

CostTable table() {
    return CostTable({{Bytes(10), Seconds(2)}, {Bytes(20), Seconds(4)}, {Bytes(120), Seconds(5)}});
}

TEST(CostTable, is_constant_below_linear_between_and_extended_past_its_entries) {
    EXPECT_DOUBLE_EQ(table()(Bytes(0)).value, 2);
    EXPECT_DOUBLE_EQ(table()(Bytes(10)).value, 2);
    EXPECT_DOUBLE_EQ(table()(Bytes(15)).value, 3);
    EXPECT_DOUBLE_EQ(table()(Bytes(20)).value, 4);
    EXPECT_DOUBLE_EQ(table()(Bytes(70)).value, 4.5);
    EXPECT_DOUBLE_EQ(table()(Bytes(120)).value, 5);
    EXPECT_DOUBLE_EQ(table()(Bytes(220)).value, 6);
}

TEST(CostTable, of_one_entry_is_constant) {
    EXPECT_TRUE(CostTable(Seconds(3)).is_constant());
    for (const std::uint64_t size : {0U, 5U, 1000000U})
        EXPECT_EQ(CostTable({{Bytes(5), Seconds(3)}})(Bytes(size)), Seconds(3));
}

TEST(CostTable, never_falls_below_zero) {
    const CostTable falling({{Bytes(0), Seconds(3)}, {Bytes(10), Seconds(1)}});
    EXPECT_DOUBLE_EQ(falling(Bytes(12)).value, 0.6);
    EXPECT_DOUBLE_EQ(falling(Bytes(1000)).value, 0);
}

TEST(CostTable, knows_the_least_time_per_byte_of_any_message_up_to_a_size) {
    const CostTable tables[] = {
        table(), CostTable(Seconds(3)),
        CostTable({{Bytes(0), Seconds(1)}, {Bytes(50), Seconds(30)}, {Bytes(60), Seconds(2)}}),
        CostTable({{Bytes(0), Seconds(3)}, {Bytes(10), Seconds(1)}})};
    for (const CostTable& costs : tables) {
        double least = infinity;
        for (std::uint64_t size = 1; size < 300; ++size) {
            least = std::min(least, costs(Bytes(size)).value / static_cast<double>(size));
            ASSERT_NEAR(costs.least_per_byte(Bytes(size)), least, 1e-12) << size;
        }
        EXPECT_EQ(costs.least_per_byte(Bytes(0)), 0);
    }
}

TEST(CostTable, refuses_what_is_no_table) {
    const double nan = std::nan("");
    using Entries = std::vector<CostTable::Entry>;
    for (const Entries& bad : {Entries{},
                               {{Bytes(1), Seconds(-1)}},
                               {{Bytes(1), Seconds(nan)}},
                               {{Bytes(1), Seconds(infinity)}},
                               {{Bytes(2), Seconds(1)}, {Bytes(2), Seconds(1)}},
                               {{Bytes(2), Seconds(1)}, {Bytes(1), Seconds(1)}}})
        EXPECT_THROW(CostTable{bad}, std::invalid_argument);
}

TEST(PLogP, delivers_after_latency_and_gap) {
    const PLogP link{CostTable(Seconds(1)), table()};
    EXPECT_EQ(link.delivery(Bytes(15)), Seconds(4));
}

}  // namespace
}  // namespace espalier::network
