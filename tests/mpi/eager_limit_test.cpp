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
    if (channel.rank() == 1) return answer_eager_limit(channel, 0, 1e-3);
    const std::uint64_t found = find_eager_limit(channel, 1, 1e-3);
    EXPECT_GE(found, (32U << 10U) - 256);
    EXPECT_LE(found, 32U << 10U);
}

}  // namespace
}  // namespace espalier::measure
