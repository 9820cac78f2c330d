#include "runtime/logic/size_class.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace espalier::runtime {
namespace {

TEST(SizeClass, is_at_most_an_eighth_larger_and_few) {
    std::uint64_t last = 0;
    std::size_t classes = 0;
    for (std::uint64_t bytes = 1; bytes <= 1 << 16; ++bytes) {
        const auto planned = size_class(Bytes(bytes)).value;
        ASSERT_GE(planned, bytes);
        ASSERT_LE(planned, bytes + bytes / 8);
        ASSERT_EQ(size_class(Bytes(planned)).value, planned);
        ASSERT_GE(planned, last);
        classes += planned != last ? 1 : 0;
        last = planned;
    }
    EXPECT_LE(classes, 8u * 16);
    EXPECT_EQ(size_class(Bytes(4 << 20)), Bytes(4 << 20));
    EXPECT_EQ(size_class(Bytes(0)), Bytes(0));
}

}  // namespace
}  // namespace espalier::runtime
