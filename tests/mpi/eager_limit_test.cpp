#include "measure/eager_limit.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>

namespace espalier::measure {
namespace {

// The environment sets the library's limit: 32 KiB for messages that go over TCP.
TEST(EagerLimit, is_the_one_that_the_library_was_given) {
    const Channel channel(MPI_COMM_WORLD);
    ASSERT_EQ(channel.size(), 2);
    const Pair pair{0, 1, 1e-3};
    const auto found = find_eager_limit(channel, pair, 10);
    EXPECT_EQ(found.has_value(), channel.rank() == 0);
    if (channel.rank() != 0) return;
    EXPECT_GE(found, (32U << 10U) - 256);
    EXPECT_LE(found, 32U << 10U);
}

TEST(EagerLimit, is_not_looked_for_where_that_takes_too_long) {
    const Channel channel(MPI_COMM_WORLD);
    EXPECT_FALSE(find_eager_limit(channel, {0, 1, 1e-3}, 1e-3));
}

}  // namespace
}  // namespace espalier::measure
