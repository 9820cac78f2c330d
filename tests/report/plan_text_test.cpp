#include "report/plan_text.hpp"

#include "support/hand_schedules.hpp"

#include <gmock/gmock.h>

namespace espalier::report {
namespace {

using namespace espalier::test;
using schedule::Kind;
using ::testing::StartsWith;

schedule::Plan timed(const schedule::Schedule& schedule) {
    schedule::Plan plan;
    plan.schedule = schedule;
    plan.timeline.transfers.resize(schedule.transfers.size());
    return plan;
}

TEST(PlanText, a_message_of_several_chunks_has_the_bytes_of_them_all) {
    const schedule::Plan plan = timed(with_blocks(gather(), {5, 70, 20, 90}));
    EXPECT_THAT(describe_transfer(plan, 2), StartsWith("c to a: 110 B, chunks 2 to 3\n"));
    EXPECT_THAT(describe_transfer(plan, 0), StartsWith("d to c: 90 B, chunk 3\n"));
    EXPECT_THAT(describe_transfer(timed(chain_scan()), 0),
                StartsWith("a to b: 100 B, combined on receipt\n"));
}

TEST(PlanText, every_collective_has_a_title) {
    for (const auto& schedule : one_of_every_kind()) {
        const std::string title = title_of(headline_of(timed(schedule)));
        EXPECT_EQ(
            title.find(" from a") != std::string::npos || title.find(" to a") != std::string::npos,
            has_root(schedule.collective.kind))
            << title;
    }
    EXPECT_EQ(title_of(headline_of(timed(barrier()))), "Barrier");
    EXPECT_EQ(title_of(headline_of(timed(chain_scan(Kind::exscan)))), "Exscan of 100 B");
    EXPECT_EQ(title_of(headline_of(timed(reduce_scatter()))), "Reduce-scatter of 100 B");
    EXPECT_EQ(title_of(headline_of(timed(gather()))), "Gather of 100 B to a");
}

TEST(PlanText, percentages_have_few_digits_however_large_they_are) {
    EXPECT_EQ(percent_of(0.1234), "12.3%");
    EXPECT_EQ(percent_of(-1e-12), "0.0%");
    EXPECT_EQ(percent_of(5e299), "5e+301%");
    EXPECT_EQ(percent_over(Seconds(1e300), Seconds(2)), "at most 5e+301%");
    EXPECT_EQ(percent_over(Seconds(97378), Seconds(2)), "at most 4.9e+06%");
    EXPECT_EQ(percent_over(Seconds(1000), Seconds(2)), "at most 50000%");
    EXPECT_EQ(percent_over(Seconds(2.0246), Seconds(2)), "at most 1.3%");
}

}  // namespace
}  // namespace espalier::report
