#include "report/path_line.hpp"

#include "report/density_svg.hpp"
#include "report/example_plans.hpp"
#include "report/svg_reader.hpp"
#include "report/timeline_svg.hpp"

#include <gmock/gmock.h>

#include <utility>
#include <vector>

namespace espalier::report {
namespace {

using test::PlanBuilder;
using testing::ElementsAre;

/// Node 0 sends to 1, then to 2, which passes it on to 3.
PlanBuilder relay() {
    PlanBuilder builder(schedule::Kind::broadcast, test::numbered("p", 4), Bytes(1));
    builder.send(0, 1, 0, 1, 0.5).send(0, 2, 1, 1, 0.5).send(2, 3, 2.5, 1, 0.5);
    return builder;
}

TEST(PathLine, stays_at_the_port_that_is_waited_for_and_goes_with_the_data) {
    const PlanBuilder builder = relay();
    const PathLine line(builder.plan);
    std::vector<std::pair<double, std::size_t>> points;
    for (const auto& point : line.points()) points.emplace_back(point.time, point.node);
    EXPECT_THAT(points, ElementsAre(std::pair(0.0, 0U), std::pair(1.0, 0U), std::pair(1.0, 0U),
                                    std::pair(2.5, 2U), std::pair(2.5, 2U), std::pair(4.0, 3U)));
}

TEST(PathLine, is_drawn_where_it_is_asked_for) {
    const PlanBuilder builder = relay();
    for (const auto draw : {timeline_svg, density_svg}) {
        TimelineOptions look;
        EXPECT_TRUE(
            test::XmlReader::read(draw(builder.plan, look)).of_class("critical-path").empty());
        look.critical_path = true;
        EXPECT_EQ(test::XmlReader::read(draw(builder.plan, look)).of_class("critical-path").size(),
                  1);
    }
}

}  // namespace
}  // namespace espalier::report
