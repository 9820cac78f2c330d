#include "measure/method/stream_tags.hpp"

#include <gtest/gtest.h>

namespace espalier::measure {
namespace {

TEST(StreamTags, are_among_those_that_every_mpi_has_however_many_streams_there_were) {
    constexpr int least_greatest_tag = 32767;
    for (int index = 0; index < 100'000; ++index) {
        EXPECT_GE(StreamTags(index).data, 0);
        EXPECT_LE(StreamTags(index).data, least_greatest_tag);
        EXPECT_LE(StreamTags(index).credit, least_greatest_tag);
    }
}

TEST(StreamTags, no_answer_is_taken_for_a_message_of_the_other_direction) {
    for (const int index : {0, 1, 7999, 8000, 20'000})
        for (int other = 0; other < 40'000; ++other)
            ASSERT_NE(StreamTags(index).credit, StreamTags(other).data) << index << ' ' << other;
}

TEST(StreamTags, streams_that_follow_each_other_are_told_apart) {
    for (const int index : {0, 7990, 15'999})
        for (int later = 1; later < 1000; ++later)
            ASSERT_NE(StreamTags(index).data, StreamTags(index + later).data);
}

}  // namespace
}  // namespace espalier::measure
