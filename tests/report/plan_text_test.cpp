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

}  // namespace
}  // namespace espalier::report
