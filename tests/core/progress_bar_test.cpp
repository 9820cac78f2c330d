#include "core/progress_bar.hpp"

#include <gmock/gmock.h>

namespace espalier {
namespace {

TEST(ProgressBar, is_filled_as_far_as_the_work_has_come) {
    EXPECT_EQ(ProgressBar::line(0.5, "latencies"), "[###############...............] latencies");
    EXPECT_EQ(ProgressBar::line(0, ""), "[..............................] ");
    EXPECT_THAT(ProgressBar::line(1.7, "hosts"), testing::HasSubstr("#] hosts"));
}

}  // namespace
}  // namespace espalier
