#include "frontend/checking.hpp"

#include "frontend/schedule_answer.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

namespace espalier::frontend {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Node 0 sends two chunks to node 1 and one to node 2, each 3 s on its way; its second message
/// begins 1 s after the first, and its third waits.
schedule::StatedPlan stated() {
    schedule::StatedPlan stated;
    schedule::Schedule& schedule = stated.plan.schedule;
    schedule.nodes = {"a", "b", "c"};
    schedule.chunks = {{Bytes(4), 1, {}, {}}, {Bytes(4), 1, {}, {}}};
    schedule.transfers = {{0, 1, 0}, {0, 1, 1}, {0, 2, 0}};
    for (const double start : {0.0, 1.0, 6.0})
        stated.plan.timeline.transfers.push_back(
            {Seconds(start), Seconds(0), Seconds(0), Seconds(start + 3)});
    return stated;
}

std::vector<std::pair<double, double>> busy(const schedule::StatedPlan& stated) {
    std::vector<std::pair<double, double>> all;
    for (const auto& times : stated.plan.timeline.transfers)
        all.emplace_back(times.sent.value, times.arrival.value);
    return all;
}

TEST(TimesThatAreNotStated, leave_room_for_the_next_message_of_a_node) {
    schedule::StatedPlan plan = stated();
    complete_times(plan);
    EXPECT_THAT(busy(plan),
                ElementsAre(std::pair(1.0, 2.0), std::pair(2.0, 3.0), std::pair(9.0, 6.0)));
    EXPECT_EQ(plan.plan.timeline.makespan, Seconds(9));
}

TEST(TimesThatAreNotStated, are_the_whole_of_a_transfer_where_several_may_go_on_at_once) {
    const auto throughout =
        ElementsAre(std::pair(3.0, 0.0), std::pair(4.0, 1.0), std::pair(9.0, 6.0));
    schedule::StatedPlan ports = stated();
    ports.plan.schedule.ports.count = 2;
    complete_times(ports);
    EXPECT_THAT(busy(ports), throughout);
    schedule::StatedPlan segments = stated();
    segments.plan.schedule.chunks[1].segments = 2;
    complete_times(segments);
    EXPECT_THAT(busy(segments), throughout);
}

std::vector<std::string> bands_of(const std::vector<std::string>& nodes) {
    std::vector<std::string> names;
    for (const auto& group : lane_groups(nodes))
        names.push_back(group.name + ":" + std::to_string(group.nodes));
    return names;
}

TEST(LaneGroups, are_read_from_the_names_of_nodes) {
    EXPECT_THAT(bands_of({"a-0", "a-1", "b-x-0"}), ElementsAre("a:2", "b-x:1"));
    EXPECT_THAT(bands_of({"a-0", "a-1", "a-2"}), IsEmpty());
    EXPECT_THAT(bands_of({"a-0", "b-0"}), IsEmpty());
    EXPECT_THAT(bands_of({"a-1", "a-2", "b-1"}), IsEmpty());
    EXPECT_THAT(bands_of({"a-0", "a-1", "gate"}), IsEmpty());
}

}  // namespace
}  // namespace espalier::frontend
