#include "report/viewer_html.hpp"

#include "core/json_reader.hpp"
#include "report/exchange_plans.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace espalier::report {
namespace {

using schedule::Plan;
using test::exchange_plan;
using test::numbered;
using test::PlanBuilder;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const Plan& plan, View view = View::columns,
                    const TimelineOptions& options = {}) {
    return diagram_html(plan, analyse(plan), view, options);
}

/// What the page's script reads.
Json data_in(const std::string& page) {
    const std::string opening = R"(<script type="application/json" id="plan">)";
    const std::size_t begin = page.find(opening) + opening.size();
    return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::size_t occurrences(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++count;
    return count;
}

TEST(ViewerHtml, stands_for_itself) {
    const std::string page = page_of(exchange_plan(numbered("n", 4), 1));
    for (const std::string word : {"http://", "https://", " src=", "@import", "url(", "<link",
                                   "fetch(", "XMLHttpRequest", "import("})
        EXPECT_EQ(occurrences(page, word), 0U) << word;
    EXPECT_THAT(page, HasSubstr("default-src 'none'"));
    EXPECT_EQ(occurrences(page, "<script"), 2U);
    for (const std::string place : {"%title%", "%subtitle%", "%style%", "%script%", "%data%"})
        EXPECT_THAT(page, Not(HasSubstr(place)));
}

TEST(ViewerHtml, knows_every_transfer_and_what_it_waits_for) {
    const Plan plan = exchange_plan(numbered("n", 5), 8);
    const Analysis analysis = analyse(plan);
    const Json data = data_in(page_of(plan, View::both));
    EXPECT_EQ(data.at("view"), "both");
    EXPECT_EQ(data.at("makespan"), plan.timeline.makespan.value);
    const Json& transfers = data.at("transfers");
    for (std::size_t t = 0; t < plan.schedule.transfers.size(); ++t) {
        EXPECT_EQ(transfers.at("from")[t], plan.schedule.transfers[t].from);
        EXPECT_EQ(transfers.at("to")[t], plan.schedule.transfers[t].to);
        EXPECT_EQ(transfers.at("start")[t], plan.timeline.transfers[t].start.value);
        EXPECT_EQ(transfers.at("end")[t], plan.timeline.transfers[t].end.value);
        const auto needs = analysis.dependences.of(t);
        const std::size_t first = data.at("needFirst")[t];
        ASSERT_EQ(data.at("needFirst")[t + 1], first + needs.size());
        for (std::size_t n = 0; n < needs.size(); ++n)
            EXPECT_EQ(data.at("needs")[first + n], needs[n].transfer);
    }
    ASSERT_EQ(data.at("path").size(), analysis.path.steps.size());
    for (std::size_t s = 0; s < analysis.path.steps.size(); ++s)
        EXPECT_EQ(data.at("path")[s].at("transfer"), analysis.path.steps[s].transfer);
    // Both ends are busy at the same time, and one track is enough.
    EXPECT_FALSE(transfers.contains("sent"));
    EXPECT_FALSE(transfers.contains("arrival"));
    EXPECT_FALSE(data.contains("sendTrack"));
}

TEST(ViewerHtml, tells_latencies_ports_and_local_parts) {
    PlanBuilder builder(schedule::Kind::broadcast, {"a", "b", "c"}, Bytes(10));
    builder.send(0, 1, 0, 2, 1, 4).send(0, 2, 1, 3, 1).local(2, "binomial", 5, 6);
    const Json data = data_in(page_of(builder.plan, View::lanes));
    EXPECT_EQ(data.at("transfers").at("sent"), Json({2.0, 4.0}));
    EXPECT_EQ(data.at("transfers").at("arrival"), Json({1.0, 2.0}));
    EXPECT_EQ(data.at("transfers").at("segments"), Json({4, 1}));
    EXPECT_EQ(data.at("sendTrack"), Json({0, 1}));
    EXPECT_EQ(data.at("sendTracks"), Json({2, 1, 1}));
    EXPECT_EQ(data.at("local")[0].at("strategy"), "binomial");
}

TEST(ViewerHtml, no_name_breaks_out) {
    const std::vector<std::string> names{"</script><script>alert(1)</script>", "%data%", "\xff<b>"};
    TimelineOptions options;
    options.title = "<i>%script%</i>";
    const std::string page = page_of(exchange_plan(names, 3), View::columns, options);
    EXPECT_EQ(occurrences(page, "<script"), 2U);
    EXPECT_EQ(occurrences(page, "</script>"), 2U);
    EXPECT_EQ(occurrences(page, "\"use strict\""), 1U);
    EXPECT_THAT(page, HasSubstr("<h1>&lt;i&gt;%script%&lt;/i&gt;</h1>"));
    const Json data = data_in(page);
    EXPECT_EQ(data.at("nodes")[0], names[0]);
    EXPECT_EQ(data.at("nodes")[1], names[1]);
}

TEST(ViewerHtml, says_what_is_late_and_by_how_much) {
    PlanBuilder builder(schedule::Kind::alltoall, {"a", "b"}, Bytes(10));
    builder.plan.schedule.chunks[0].target = 1;
    builder.plan.schedule.chunks[0].deadline = Seconds(1.5);
    builder.send(0, 1, 0, 2, 0);
    EXPECT_EQ(data_in(page_of(builder.plan)).at("late"), Json::array({Json::array({0, 0.5})}));
}

}  // namespace
}  // namespace espalier::report
