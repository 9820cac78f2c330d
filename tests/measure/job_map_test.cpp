#include "measure/job_map.hpp"

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

TEST(JobMap, knows_who_hears_of_an_order_before_those_far_away) {
    JobMap job;
    job.clusters = {{1, 3}, {0, 2}, {4}};
    job.ranks_of_host = {{0, 1}, {2}, {3}, {4}, {5}};
    job.host_of_rank = {0, 0, 1, 2, 3, 4};
    job.round_trips = Matrix<double>(3, 3, 0.5);
    job.round_trips(1, 1) = 0.002;
    job.round_trips(1, 0) = 0.1;
    job.round_trips(1, 2) = 0.04;
    for (const int near : {0, 1, 3})
        EXPECT_DOUBLE_EQ(job.hears_sooner(near), 0.049) << "in the cluster of rank 0";
    for (const int farthest : {2, 4}) EXPECT_DOUBLE_EQ(job.hears_sooner(farthest), 0);
    EXPECT_DOUBLE_EQ(job.hears_sooner(5), 0.03);
}

}  // namespace
}  // namespace espalier::measure
