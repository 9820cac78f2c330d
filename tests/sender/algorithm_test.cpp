#include "sender/algorithm.hpp"

#include <gtest/gtest.h>

namespace espalier::sender {
namespace {

using schedule::Kind;

TEST(SenderAlgorithms, say_what_they_are_for_and_make_plans) {
    for (const Algorithm& algorithm : algorithms()) {
        SCOPED_TRACE(algorithm.name);
        EXPECT_EQ(algorithm.family, schedule::Family::sender);
        EXPECT_FALSE(algorithm.description.empty());
        EXPECT_FALSE(algorithm.source.empty());
        EXPECT_NE(algorithm.make, nullptr);
    }
}

TEST(SenderAlgorithms, are_found_by_name_for_the_kinds_that_they_serve) {
    for (const Algorithm& algorithm : algorithms())
        for (const Kind kind : {Kind::broadcast, Kind::reduce, Kind::alltoall})
            EXPECT_EQ(find_algorithm(kind, algorithm.name),
                      serves(algorithm, kind) ? &algorithm : nullptr);
    EXPECT_EQ(find_algorithm(Kind::broadcast, "ecef"), nullptr);
}

}  // namespace
}  // namespace espalier::sender
