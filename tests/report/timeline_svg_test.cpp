#include "report/timeline_svg.hpp"

#include "report/example_plans.hpp"
#include "report/svg.hpp"
#include "report/svg_reader.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace espalier::report {
namespace {

using test::Element;
using test::numbered;
using test::PlanBuilder;
using test::tree_plan;
using test::XmlReader;
using ::testing::HasSubstr;

Element picture(const schedule::Plan& plan, const TimelineOptions& options = {}) {
    return XmlReader::read(timeline_svg(plan, options));
}

Element only(const Element& root, const std::string& name) {
    const std::vector<Element> found = root.of_class(name);
    if (found.size() != 1) throw std::runtime_error(name + " is not there once");
    return found.front();
}

/// The time at a position, read off the picture's own ticks, which give seconds.
struct TimeRuler {
    double origin;
    double pixels_per_second;

    explicit TimeRuler(const Element& root) {
        const std::vector<Element> labels = only(root, "ticks").children;
        const Element& first = labels.front();
        const Element& last = labels.back();
        const double a = std::stod(first.text);
        const double b = std::stod(last.text);
        pixels_per_second = (last.number("x") - first.number("x")) / (b - a);
        origin = first.number("x") - a * pixels_per_second;
    }
    [[nodiscard]] double time(double x) const { return (x - origin) / pixels_per_second; }
};

/// Where the lane of each node is: halfway between the middles of the names.
std::size_t lane_at(const Element& root, double y) {
    const std::vector<Element> names = only(root, "names").children;
    std::size_t nearest = 0;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::abs(names[i].number("y") - 4 - y) < std::abs(names[nearest].number("y") - 4 - y))
            nearest = i;
    return nearest;
}

void expect_bars_tell_the_times(const schedule::Plan& plan) {
    const Element root = picture(plan);
    const TimeRuler ruler(root);
    const double tolerance = 0.02 / ruler.pixels_per_second;
    for (const std::string kind : {"send", "receive"}) {
        const std::vector<Element> bars = root.of_class(kind);
        ASSERT_EQ(bars.size(), plan.schedule.transfers.size());
        for (const Element& bar : bars) {
            const std::size_t index = std::stoul(bar.get("data-transfer"));
            const schedule::Transfer& transfer = plan.schedule.transfers[index];
            const schedule::Timeline::Times& times = plan.timeline.transfers[index];
            const bool send = kind == "send";
            EXPECT_NEAR(ruler.time(bar.number("x")), (send ? times.start : times.arrival).value,
                        tolerance);
            EXPECT_NEAR(ruler.time(bar.number("x") + bar.number("width")),
                        (send ? times.sent : times.end).value, tolerance);
            EXPECT_EQ(lane_at(root, bar.number("y") + bar.number("height") / 2),
                      send ? transfer.from : transfer.to);
        }
    }
    const Element makespan = only(root, "makespan");
    EXPECT_NEAR(ruler.time(makespan.number("x1")), plan.timeline.makespan.value, tolerance);
    const Element bound = only(root, "bound");
    EXPECT_NEAR(ruler.time(bound.number("x1")), plan.lower_bound.value, tolerance);
}

TEST(TimelineSvg, bars_stand_where_the_times_say) {
    expect_bars_tell_the_times(tree_plan(numbered("c", 2), 1, 0.25));
    expect_bars_tell_the_times(tree_plan(numbered("c", 6), 1, 0.25));
    expect_bars_tell_the_times(tree_plan(numbered("rank-", 88), 1, 0.25));
}

TEST(TimelineSvg, names_are_whole_and_apart_at_any_number_of_nodes) {
    for (const std::size_t nodes : {1U, 2U, 6U, 25U, 88U, 500U}) {
        std::vector<std::string> names = numbered("graphene-", nodes);
        names.back() = "a-rather-long-host-name.with.a.domain.example.org";
        const Element root = picture(tree_plan(names, 1, 0.1));
        const Element group = only(root, "names");
        const double size = group.number("font-size");
        EXPECT_GE(size, 9);
        ASSERT_EQ(group.children.size(), nodes);
        for (std::size_t i = 0; i < nodes; ++i) {
            const Element& name = group.children[i];
            EXPECT_EQ(name.text, names[i]);
            EXPECT_GE(name.number("x") - text_width(names[i], size), 0);
            if (i > 0) {
                EXPECT_GE(name.number("y") - group.children[i - 1].number("y"), size);
                EXPECT_GE(name.number("y") - group.children[i - 1].number("y"), 14);
            }
        }
        EXPECT_LT(group.children.back().number("y"), root.number("height"));
    }
}

TEST(TimelineSvg, bars_begin_right_of_the_names) {
    const Element root = picture(tree_plan(numbered("node-with-a-long-name-", 88), 1, 0.1));
    const double names_right = only(root, "names").children.front().number("x");
    for (const std::string kind : {"send", "receive"})
        for (const Element& bar : root.of_class(kind)) EXPECT_GE(bar.number("x"), names_right);
}

TEST(TimelineSvg, everything_is_on_the_page) {
    schedule::Plan plan = tree_plan(numbered("c", 12), 1, 0.25);
    plan.schedule.algorithm = std::string(300, 'W');
    const Element root = picture(plan);
    root.each([&](const Element& element) {
        if (element.tag == "rect") {
            EXPECT_LE(element.number("x") + element.number("width"), root.number("width"));
            EXPECT_LE(element.number("y") + element.number("height"), root.number("height"));
        }
    });
    const Element title = only(root, "title");
    EXPECT_LE(title.number("x") + text_width(title.text, title.number("font-size")),
              root.number("width"));
    for (const Element& tick : only(root, "ticks").children) {
        const double half = text_width(tick.text, 12) / 2;
        EXPECT_LE(tick.number("x") + half, root.number("width"));
    }
}

TEST(TimelineSvg, a_label_stands_only_where_it_fits_its_bar) {
    const Element root = picture(tree_plan(numbered("node-with-a-longer-name-", 40), 1, 0.1));
    const std::vector<Element> bars = root.of_class("send");
    const std::vector<Element> labels = root.of_class("label");
    EXPECT_FALSE(labels.empty());
    EXPECT_LT(labels.size(), bars.size());
    for (const Element& label : labels) {
        const double half = text_width(label.text, label.number("font-size")) / 2;
        const bool inside = std::ranges::any_of(bars, [&](const Element& bar) {
            return bar.number("x") <= label.number("x") - half &&
                   bar.number("x") + bar.number("width") >= label.number("x") + half &&
                   bar.number("y") <= label.number("y") &&
                   bar.number("y") + bar.number("height") >= label.number("y");
        });
        EXPECT_TRUE(inside) << label.text;
    }
}

TEST(TimelineSvg, bars_of_one_lane_never_cover_each_other) {
    // A pipelined chain: everyone receives and sends at once, and the root sends two at once.
    PlanBuilder builder(schedule::Kind::broadcast, numbered("c", 5), Bytes(1 << 22));
    builder.send(0, 1, 0, 10, 1, 64).send(0, 4, 0.1, 10, 1, 64);
    builder.send(1, 2, 1.2, 10, 1, 64).send(2, 3, 2.4, 10, 1, 64);
    const Element root = picture(builder.plan);
    std::vector<Element> bars = root.of_class("send");
    const std::vector<Element> receives = root.of_class("receive");
    bars.insert(bars.end(), receives.begin(), receives.end());
    for (std::size_t i = 0; i < bars.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const auto overlap = [&](const char* at, const char* size) {
                return bars[i].number(at) + 0.01 < bars[j].number(at) + bars[j].number(size) &&
                       bars[j].number(at) + 0.01 < bars[i].number(at) + bars[i].number(size);
            };
            EXPECT_FALSE(overlap("x", "width") && overlap("y", "height")) << i << " and " << j;
        }
    EXPECT_THAT(timeline_svg(builder.plan), HasSubstr("in 64 segments"));
    EXPECT_THAT(timeline_svg(builder.plan), HasSubstr("url(#espalier-hatch)"));
}

TEST(TimelineSvg, touching_bars_share_a_track_in_spite_of_rounding) {
    PlanBuilder builder(schedule::Kind::broadcast, numbered("c", 4), Bytes(1));
    builder.send(0, 1, 0, 0.1 + 0.2, 0).send(0, 2, 0.3, 0.3, 0).send(0, 3, 0.6, 0.3, 0);
    const std::vector<Element> bars = picture(builder.plan).of_class("send");
    EXPECT_EQ(bars[0].number("y"), bars[1].number("y"));
    EXPECT_EQ(bars[1].number("y"), bars[2].number("y"));
}

TEST(TimelineSvg, local_parts_are_labelled_with_their_strategy) {
    PlanBuilder builder(schedule::Kind::broadcast, numbered("c", 2), Bytes(1024));
    builder.send(0, 1, 0, 1, 1).local(0, "binomial", 1, 4).local(1, "chain-segmented", 2, 5);
    const Element root = picture(builder.plan);
    const std::vector<Element> local = root.of_class("local");
    ASSERT_EQ(local.size(), 2U);
    const TimeRuler ruler(root);
    EXPECT_NEAR(ruler.time(local[1].number("x")), 2, 1e-3);
    EXPECT_NEAR(ruler.time(local[1].number("x") + local[1].number("width")), 5, 1e-3);
    EXPECT_EQ(lane_at(root, local[1].number("y") + local[1].number("height") / 2), 1U);
    const std::vector<Element> labels = root.of_class("label");
    EXPECT_TRUE(std::ranges::any_of(
        labels, [](const Element& label) { return label.text == "chain-segmented"; }));
}

TEST(TimelineSvg, names_with_markup_are_shown_as_they_are) {
    std::vector<std::string> names{"<script>alert(\"1\")</script>", "R&D", "zürich", "a\x01z"};
    const Element root = picture(tree_plan(names, 1, 0.1));
    const Element group = only(root, "names");
    EXPECT_EQ(group.children[0].text, names[0]);
    EXPECT_EQ(group.children[1].text, names[1]);
    EXPECT_EQ(group.children[2].text, names[2]);
    EXPECT_EQ(group.children[3].text, "a\xef\xbf\xbdz");
    EXPECT_THAT(only(root, "title").text, HasSubstr(names[0]));
    EXPECT_THAT(only(root, "title").get("class"), "title");
}

TEST(TimelineSvg, the_title_says_what_and_how_good) {
    PlanBuilder builder(schedule::Kind::broadcast, {"orsay", "idpot"}, Bytes(1 << 20));
    builder.send(0, 1, 0, 1, 0.08).bound(1);
    Element root = picture(builder.plan);
    EXPECT_EQ(only(root, "title").text, "Broadcast of 1 MiB from orsay, by ecef");
    EXPECT_THAT(only(root, "subtitle").text,
                HasSubstr("makespan 1.08 s, at most 8.0% over the best that sends messages whole"));
    builder.bound(1.08).plan.optimal = true;
    builder.plan.scope = schedule::BoundScope::any;
    root = picture(builder.plan);
    EXPECT_THAT(only(root, "subtitle").text,
                HasSubstr("makespan 1.08 s, proven optimal · 2 nodes"));
    builder.plan.optimal = false;
    builder.bound(0.1);
    EXPECT_THAT(
        only(picture(builder.plan), "subtitle").text,
        HasSubstr(
            "at most 980% over the best possible; no schedule of any kind takes less than 100 ms"));
    builder.bound(0);
    root = picture(builder.plan);
    EXPECT_TRUE(root.of_class("bound").empty());
    EXPECT_THAT(only(root, "subtitle").text, ::testing::Not(HasSubstr("less than")));
    EXPECT_EQ(only(picture(builder.plan, {.title = "mine"}), "title").text, "mine");
}

TEST(TimelineSvg, a_plan_without_length_is_a_picture_too) {
    PlanBuilder alone(schedule::Kind::broadcast, {"only"}, Bytes(8));
    EXPECT_TRUE(picture(alone.plan).of_class("send").empty());
    PlanBuilder instant(schedule::Kind::broadcast, numbered("c", 3), Bytes(0));
    instant.send(0, 1, 0, 0, 0).send(0, 2, 0, 0, 0);
    const Element root = picture(instant.plan);
    EXPECT_EQ(root.of_class("send").size(), 2U);
    for (const Element& bar : root.of_class("send")) EXPECT_GT(bar.number("width"), 0);
    EXPECT_THAT(only(root, "ticks").children.front().text, "0 s");
}

TEST(TimelineSvg, a_total_exchange_of_many_keeps_every_bar) {
    const std::size_t nodes = 40;
    PlanBuilder builder(schedule::Kind::alltoall, numbered("n", nodes), Bytes(4096));
    for (std::size_t round = 1; round < nodes; ++round)
        for (std::size_t from = 0; from < nodes; ++from)
            builder.send(from, (from + round) % nodes, static_cast<double>(round), 1, 0.5);
    const Element root = picture(builder.plan);
    EXPECT_EQ(root.of_class("send").size(), nodes * (nodes - 1));
    EXPECT_EQ(root.of_class("receive").size(), nodes * (nodes - 1));
    EXPECT_LE(only(root, "messages").number("stroke-opacity"), 0.3);
    EXPECT_LT(root.number("height"), 40 * static_cast<double>(nodes));
}

TEST(TimelineSvg, groups_are_named_at_their_lanes) {
    const schedule::Plan plan = tree_plan(numbered("r", 10), 1, 0.1);
    const Element root = picture(plan, {.groups = {{"orsay", 6}, {"toulouse", 4}}});
    const Element groups = only(root, "groups");
    std::vector<Element> labels;
    groups.each([&](const Element& element) {
        if (element.tag == "text") labels.push_back(element);
    });
    ASSERT_EQ(labels.size(), 2U);
    const std::vector<Element> names = only(root, "names").children;
    EXPECT_NEAR(labels[0].number("y"), (names[2].number("y") + names[3].number("y")) / 2, 1);
    EXPECT_NEAR(labels[1].number("y"), (names[7].number("y") + names[8].number("y")) / 2, 1);
    const double size = only(root, "names").number("font-size");
    EXPECT_LE(labels[1].number("x") + 1.1 * text_width("toulouse", 12),
              names[0].number("x") - text_width(names[0].text, size));
    EXPECT_THROW((void)timeline_svg(plan, {.groups = {{"orsay", 6}}}), std::invalid_argument);
}

TEST(TimelineSvg, a_plan_without_times_is_refused) {
    schedule::Plan plan = tree_plan(numbered("c", 3), 1, 0.1);
    plan.timeline.transfers.clear();
    EXPECT_THROW((void)timeline_svg(plan), std::invalid_argument);
}

TEST(TimelineSvg, the_same_plan_gives_the_same_picture) {
    const schedule::Plan plan = tree_plan(numbered("c", 30), 0.0123, 0.00077);
    EXPECT_EQ(timeline_svg(plan), timeline_svg(plan));
}

}  // namespace
}  // namespace espalier::report
