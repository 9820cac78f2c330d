// Steps that all nodes begin together (Schedule::barriers), wherever schedules are changed.

#include "schedule/level_by_level.hpp"
#include "schedule/mirror.hpp"
#include "schedule/validate.hpp"
#include "support/expanding.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

namespace espalier::schedule {
namespace {

using espalier::test::add_copy;
using espalier::test::hand_made;
using espalier::test::total_exchange;
using test::group_of;
using test::part_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string fault_of(const std::vector<std::size_t>& barriers) {
    Schedule schedule = total_exchange();
    schedule.barriers = barriers;
    const auto violation = find_violation(schedule);
    return violation ? violation->what : "";
}

TEST(Barriers, are_numbers_of_transfers_in_ascending_order) {
    EXPECT_EQ(fault_of({0, 3, 6}), "");
    EXPECT_THAT(fault_of({3, 3}), HasSubstr("barriers"));
    EXPECT_THAT(fault_of({3, 1}), HasSubstr("barriers"));
    EXPECT_THAT(fault_of({7}), HasSubstr("barriers"));
}

TEST(Barriers, of_a_mirror_count_from_the_other_end) {
    Schedule schedule = total_exchange();
    schedule.barriers = {2, 5};
    EXPECT_THAT(mirror(schedule).barriers, ElementsAre(1, 4));
    EXPECT_THAT(mirror(mirror(schedule)).barriers, ElementsAre(2, 5));
}

Schedule broadcast_in_steps() {
    Schedule top = hand_made(Kind::broadcast, 3, 100);
    add_copy(top, 0, 1);
    add_copy(top, 1, 2);
    top.barriers = {1};
    return top;
}

TEST(Barriers, stay_where_groups_are_single_ranks) {
    Schedule top = broadcast_in_steps();
    top.reception = {Reception::Mode::interleaved, 0.5, {}};
    const Schedule ranks = expand(top, {Group{"x", {}}, Group{"y", {}}, Group{"z", {}}});
    EXPECT_THAT(ranks.barriers, ElementsAre(1));
    EXPECT_EQ(ranks.reception, top.reception);
}

TEST(Barriers, between_groups_leave_no_room_for_local_parts) {
    Schedule inner = hand_made(Kind::broadcast, 2, 100);
    add_copy(inner, 0, 1);
    for (const auto phase : {LocalPart::Phase::before, LocalPart::Phase::after}) {
        Schedule top = broadcast_in_steps();
        top.local = {part_of(1, inner, phase)};
        EXPECT_THROW(
            static_cast<void>(expand(top, {Group{"x", {}}, group_of("y", 2), Group{"z", {}}})),
            std::invalid_argument);
    }
}

TEST(Barriers, keep_the_segments_of_a_step_together) {
    Schedule inner = hand_made(Kind::broadcast, 3, 100);
    inner.chunks[0].segments = 2;
    add_copy(inner, 0, 1);
    add_copy(inner, 1, 2);
    inner.barriers = {1};
    Schedule top = hand_made(Kind::broadcast, 1, 100);
    top.local = {part_of(0, inner)};
    const Schedule spelled = *level_by_level(top).local.front().schedule;
    EXPECT_THAT(test::ends_of(spelled), ElementsAre(std::pair(0U, 1U), std::pair(0U, 1U),
                                                    std::pair(1U, 2U), std::pair(1U, 2U)));
    EXPECT_THAT(spelled.barriers, ElementsAre(2));
    EXPECT_EQ(spelled.transfers[1].chunk, 1U);
    EXPECT_EQ(spelled.chunks[1].segments, 1U);
}

TEST(Receptions, read_as_they_are_written) {
    constexpr auto unlimited = std::numeric_limits<std::uint64_t>::max();
    using Mode = Reception::Mode;
    const Reception receptions[] = {{},
                                    {Mode::interleaved, 0.05, {}},
                                    {Mode::interleaved, 0, {}},
                                    {Mode::buffered, 0, Bytes(0)},
                                    {Mode::buffered, 0, Bytes(1048576)},
                                    {Mode::buffered, 0, Bytes(unlimited)}};
    for (const Reception& reception : receptions)
        EXPECT_EQ(parse_reception(to_string(reception)), reception) << to_string(reception);
    EXPECT_EQ(to_string(receptions[5]), "buffered:unlimited");
    EXPECT_EQ(parse_reception("buffered:1MiB"), receptions[4]);
    for (const auto* wrong :
         {"", "serial:", "serial:1", "interleaved", "interleaved:", "interleaved:-0.1",
          "interleaved:nan", "interleaved:inf", "interleaved:unlimited", "buffered",
          "buffered:", "buffered:-1", "buffered:x", "Buffered:1"})
        EXPECT_EQ(parse_reception(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace espalier::schedule
