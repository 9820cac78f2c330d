#include "plan/overhead.hpp"
#include "runtime/logic/library_time.hpp"
#include "runtime/two_clusters.hpp"
#include "simulate/rank_fabric.hpp"

#include <gtest/gtest.h>

namespace espalier::runtime {
namespace {

TEST(LibraryPlan, takes_as_long_as_the_library_is_predicted_to) {
    const stated::TwoClusters clusters(6);
    const auto fabric = simulate::make_rank_fabric(clusters.view(), clusters.places());
    using schedule::Kind;
    for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::allreduce, Kind::scatter,
                            Kind::gather, Kind::allgather, Kind::alltoall, Kind::barrier})
        for (const std::uint64_t bytes : {8U, 1U << 20U}) {
            const Signature signature{.kind = kind, .bytes = Bytes(bytes)};
            const schedule::Plan plan = library_plan(*fabric, signature, {});
            EXPECT_EQ(plan.schedule.collective.kind, kind);
            EXPECT_EQ(plan.timeline.transfers.size(), plan.schedule.transfers.size());
            EXPECT_DOUBLE_EQ((plan.timeline.makespan +
                              plan::processor_time(plan.schedule, fabric->message_time()))
                                 .value,
                             library_time(*fabric, signature, {}).value);
        }
}

}  // namespace
}  // namespace espalier::runtime
