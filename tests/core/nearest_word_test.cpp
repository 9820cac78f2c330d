#include "core/nearest_word.hpp"

#include <gmock/gmock.h>

namespace espalier {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(NearestWord, finds_what_was_mistyped) {
    const std::vector<std::string_view> commands{"measure", "partition", "plan", "compare",
                                                 "report"};
    EXPECT_THAT(meant_by("pla", commands), ElementsAre("plan"));
    EXPECT_THAT(meant_by("paln", commands), ElementsAre("plan")) << "two letters swapped";
    EXPECT_THAT(meant_by("mesure", commands), ElementsAre("measure"));
    EXPECT_THAT(meant_by("plan", commands), ElementsAre("plan"));
    EXPECT_THAT(meant_by("xyzzy", commands), IsEmpty());
    EXPECT_THAT(meant_by("", commands), IsEmpty());
}

TEST(NearestWord, finds_what_was_abbreviated) {
    const std::vector<std::string_view> kinds{"broadcast", "reduce", "allreduce", "barrier"};
    EXPECT_THAT(meant_by("bcast", kinds), ElementsAre("broadcast"));
    EXPECT_THAT(meant_by("all", kinds), ElementsAre("allreduce"));
    EXPECT_THAT(meant_by("br", kinds), IsEmpty()) << "two letters are too few";
}

TEST(NearestWord, the_nearest_comes_first) {
    EXPECT_THAT(meant_by("ecf", {"ecef-la", "ecef", "fef"}), ElementsAre("ecef", "ecef-la"));
}

}  // namespace
}  // namespace espalier
