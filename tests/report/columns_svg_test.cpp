#include "report/columns_svg.hpp"

#include "report/exchange_plans.hpp"
#include "report/svg.hpp"
#include "report/svg_reader.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace espalier::report {
namespace {

using schedule::Plan;
using test::Element;
using test::exchange_plan;
using test::numbered;
using test::PlanBuilder;
using test::XmlReader;
using ::testing::HasSubstr;

Element picture(const Plan& plan, View view, const TimelineOptions& options = {}) {
    return XmlReader::read(columns_svg(plan, analyse(plan), view, options));
}

Element only(const Element& root, const std::string& name) {
    const std::vector<Element> found = root.of_class(name);
    if (found.size() != 1) throw std::runtime_error(name + " is not there once");
    return found.front();
}

/// The time at a height, read off the picture's own ticks, which give seconds.
struct TimeRuler {
    double origin;
    double pixels_per_second;

    explicit TimeRuler(const Element& root) {
        const std::vector<Element> labels = only(root, "ticks").children;
        const double a = std::stod(labels.front().text);
        const double b = std::stod(labels.back().text);
        const double y = labels.front().number("y");
        pixels_per_second = (labels.back().number("y") - y) / (b - a);
        // Letters stand a little below the height that they name.
        origin = y - 0.35 * 12 - a * pixels_per_second;
    }
    [[nodiscard]] double time(double y) const { return (y - origin) / pixels_per_second; }
};

std::size_t nearest_head(const Element& root, double x) {
    const std::vector<Element> heads = only(root, "names").children;
    std::size_t best = 0;
    for (std::size_t i = 0; i < heads.size(); ++i)
        if (std::abs(heads[i].number("x") - x) < std::abs(heads[best].number("x") - x)) best = i;
    return best;
}

std::vector<Element> bars_of(const Element& root, const std::string& kind) {
    std::vector<Element> bars = root.of_class(kind);
    std::erase_if(bars, [](const Element& bar) { return bar.tag != "rect"; });
    return bars;
}

void expect_bars_tell_the_times(const Plan& plan, View view) {
    const Element root = picture(plan, view);
    const TimeRuler ruler(root);
    const double tolerance = 0.05 / ruler.pixels_per_second;
    for (const std::string kind : {"send", "receive"}) {
        const bool send = kind == "send";
        const bool shown = send ? view != View::receive_columns : view != View::columns;
        const std::vector<Element> bars = bars_of(root, kind);
        ASSERT_EQ(bars.size(), shown ? plan.schedule.transfers.size() : 0);
        for (const Element& bar : bars) {
            const std::size_t index = std::stoul(bar.get("data-transfer"));
            const auto& transfer = plan.schedule.transfers[index];
            const auto& times = plan.timeline.transfers[index];
            EXPECT_NEAR(ruler.time(bar.number("y")), (send ? times.start : times.arrival).value,
                        tolerance);
            EXPECT_NEAR(ruler.time(bar.number("y") + bar.number("height")),
                        (send ? times.sent : times.end).value, tolerance);
            EXPECT_EQ(nearest_head(root, bar.number("x") + bar.number("width") / 2),
                      send ? transfer.from : transfer.to);
        }
    }
}

TEST(ColumnsSvg, rectangles_are_as_high_as_their_times_in_the_columns_of_their_nodes) {
    const Plan plan = exchange_plan(numbered("n", 6), 3);
    for (const View view : {View::columns, View::receive_columns, View::both})
        expect_bars_tell_the_times(plan, view);
}

TEST(ColumnsSvg, sends_carry_the_receivers_name_and_receives_the_senders) {
    PlanBuilder builder(schedule::Kind::alltoall, {"left", "right"}, Bytes(10));
    builder.send(0, 1, 0, 2, 0);
    const auto labels = [&](View view) {
        std::vector<std::string> texts;
        for (const Element& label : picture(builder.plan, view).of_class("label"))
            texts.push_back(label.text);
        return texts;
    };
    EXPECT_THAT(labels(View::columns), ::testing::ElementsAre("right"));
    EXPECT_THAT(labels(View::receive_columns), ::testing::ElementsAre("left"));
}

TEST(ColumnsSvg, the_critical_path_stands_out) {
    const Plan plan = exchange_plan(numbered("n", 7), 5);
    const Analysis analysis = analyse(plan);
    ASSERT_GT(analysis.path.steps.size(), 1U);
    const Element root = picture(plan, View::columns);
    std::set<std::string> fills;
    std::size_t critical = 0;
    for (const Element& bar : bars_of(root, "send")) {
        const bool expected = analysis.is_critical(std::stoul(bar.get("data-transfer")));
        EXPECT_EQ(bar.get("data-critical"), expected ? "true" : "false");
        EXPECT_EQ(bar.get("fill") == palette::orange, expected);
        critical += expected ? 1U : 0U;
        EXPECT_EQ(bar.children.front().text.find("critical path") != std::string::npos, expected);
    }
    EXPECT_EQ(critical, analysis.path.steps.size());
    const auto sender = [&](std::size_t step) {
        return plan.schedule.transfers[analysis.path.steps[step].transfer].from;
    };
    std::size_t turns = 0;
    for (std::size_t s = 1; s < analysis.path.steps.size(); ++s)
        if (sender(s) != sender(s - 1)) ++turns;
    EXPECT_EQ(root.of_class("critical-link").size(), turns);
}

TEST(ColumnsSvg, idle_times_are_marked_up_to_a_columns_last_message) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b", "c"}, Bytes(10));
    builder.send(0, 1, 0, 2, 0).send(0, 2, 5, 3, 0).send(1, 2, 0, 1, 0);
    const Element root = picture(builder.plan, View::columns);
    const std::vector<Element> idle = root.of_class("idle");
    ASSERT_EQ(idle.size(), 2U);
    EXPECT_EQ(idle[0].children.front().text, "a: sends for 5 s until 8 s, idle for 3 s");
    EXPECT_EQ(idle[1].children.front().text, "b: sends for 1 s until 1 s, idle for 0 s");
    const TimeRuler ruler(root);
    EXPECT_NEAR(ruler.time(idle[0].number("y") + idle[0].number("height")), 8, 0.01);
}

TEST(ColumnsSvg, long_names_give_way_to_numbers_that_the_heads_explain) {
    std::vector<std::string> names = numbered("a-host-of-site-", 12);
    std::ranges::reverse(names);
    const Element root = picture(exchange_plan(names, 1), View::columns);
    for (const Element& label : root.of_class("label")) EXPECT_LE(label.text.size(), 2U);
    const std::vector<Element> heads = only(root, "names").children;
    EXPECT_EQ(heads[7].text, "7 · a-host-of-site-4");
    EXPECT_THAT(heads[7].get("transform"), HasSubstr("rotate(-90"));
    const double top = only(root, "title").number("y");
    for (const Element& head : heads) EXPECT_GT(head.number("y") - text_width(head.text, 12), top);
}

TEST(ColumnsSvg, names_that_end_in_their_number_stand_for_it) {
    const std::vector<std::string> names = numbered("a-host-of-site-", 12);
    const Element root = picture(exchange_plan(names, 1), View::columns);
    const std::vector<Element> heads = only(root, "names").children;
    for (std::size_t node = 0; node < names.size(); ++node)
        EXPECT_EQ(heads[node].text, names[node]);
}

TEST(ColumnsSvg, names_without_end_keep_what_tells_them_apart) {
    const std::string same(100, 'x');
    const Element root = picture(exchange_plan({same + "1", same + "2"}, 1), View::columns);
    const std::vector<Element> heads = only(root, "names").children;
    EXPECT_THAT(heads[1].text, ::testing::StartsWith("1 · x"));
    EXPECT_THAT(heads[1].text, ::testing::EndsWith("x2"));
    EXPECT_LT(heads[1].text.size(), 40U);
}

TEST(ColumnsSvg, several_ports_stand_beside_each_other) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b", "c"}, Bytes(10));
    builder.send(0, 1, 0, 2, 0).send(0, 2, 1, 3, 0);
    builder.plan.schedule.ports.count = 2;
    const std::vector<Element> bars = bars_of(picture(builder.plan, View::columns), "send");
    ASSERT_EQ(bars.size(), 2U);
    EXPECT_NEAR(bars[0].number("x") + bars[0].number("width"), bars[1].number("x"), 0.02);
}

TEST(ColumnsSvg, what_comes_too_late_is_marked_from_its_deadline_on) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b", "c"}, Bytes(10));
    builder.plan.schedule.chunks.resize(2);
    builder.plan.schedule.chunks[0].target = 1;
    builder.plan.schedule.chunks[0].deadline = Seconds(2);
    builder.plan.schedule.chunks[1].target = 2;
    builder.plan.schedule.chunks[1].deadline = Seconds(3);
    builder.send(0, 1, 0, 2, 0).send(0, 2, 2, 3, 0);
    builder.plan.schedule.transfers[1].chunk = 1;
    const Analysis analysis = analyse(builder.plan);
    EXPECT_FALSE(analysis.late[0]);
    EXPECT_EQ(analysis.late[1], Seconds(2));
    const Element root = picture(builder.plan, View::columns);
    const TimeRuler ruler(root);
    const Element overdue = only(root, "overdue");
    EXPECT_NEAR(ruler.time(overdue.number("y1")), 3, 0.02);
    EXPECT_NEAR(ruler.time(overdue.number("y2")), 5, 0.02);
    EXPECT_THAT(bars_of(root, "send")[1].children.front().text,
                HasSubstr("misses its deadline by 2 s"));
}

TEST(ColumnsSvg, only_whom_it_is_for_can_have_it_too_late) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b", "c"}, Bytes(10));
    builder.plan.schedule.chunks[0].target = 2;
    builder.plan.schedule.chunks[0].deadline = Seconds(1);
    builder.send(0, 1, 0, 2, 0).send(1, 2, 2, 3, 0);
    const Analysis analysis = analyse(builder.plan);
    EXPECT_FALSE(analysis.late[0]);
    EXPECT_EQ(analysis.late[1], Seconds(4));
}

TEST(ColumnsSvg, barriers_cross_all_columns) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b", "c"}, Bytes(10));
    builder.send(0, 1, 0, 2, 0).send(1, 2, 0, 3, 0).send(2, 0, 3, 1, 0);
    builder.plan.schedule.barriers = {2};
    const Element root = picture(builder.plan, View::both);
    EXPECT_NEAR(TimeRuler(root).time(only(root, "barrier").number("y1")), 3, 0.01);
}

TEST(ColumnsSvg, what_takes_no_time_is_still_to_be_seen) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b"}, Bytes(0));
    builder.send(0, 1, 0, 0, 0);
    for (const View view : {View::columns, View::receive_columns, View::both})
        for (const Element& bar : bars_of(picture(builder.plan, view), "send"))
            EXPECT_GT(bar.number("height"), 0.5);
    PlanBuilder alone(schedule::Kind::alltoall, {"a"}, Bytes(10));
    EXPECT_THAT(picture(alone.plan, View::both).get("width"), ::testing::Not(""));
}

TEST(ColumnsSvg, names_are_escaped_and_groups_have_to_fit) {
    const Plan plan = exchange_plan({"<a>", "b&c", "\"d\""}, 2);
    EXPECT_EQ(only(picture(plan, View::columns), "names").children[0].text, "<a>");
    TimelineOptions options;
    options.groups = {{"site", 2}};
    EXPECT_THROW((void)picture(plan, View::columns, options), std::invalid_argument);
    options.groups.push_back({"other", 1});
    EXPECT_EQ(only(picture(plan, View::columns, options), "groups").children.front().text, "site");
}

}  // namespace
}  // namespace espalier::report
