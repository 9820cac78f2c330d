#include "runtime/logic/trial.hpp"

#include <gmock/gmock.h>

namespace espalier::runtime {
namespace {

using testing::HasSubstr;
using Way = Trial::Way;

/// One round as all ranks see it.
void do_round(Trial& trial, double planned, double native, double bytes = 100) {
    ASSERT_EQ(trial.next(), Way::planned);
    ASSERT_FALSE(trial.add(Seconds(planned), bytes));
    ASSERT_EQ(trial.next(), Way::native);
    ASSERT_TRUE(trial.add(Seconds(native), bytes));
    trial.agree(trial.round());
}

TEST(Trial, takes_turns_and_keeps_the_faster_one) {
    Trial trial;
    for (int round = 0; round < 3; ++round) {
        EXPECT_FALSE(trial.is_over());
        EXPECT_EQ(trial.finding(), "on trial");
        do_round(trial, 1, 1.5);
    }
    EXPECT_TRUE(trial.is_over());
    EXPECT_EQ(trial.next(), Way::planned);
    EXPECT_EQ(trial.agreements(), 3u);
    EXPECT_THAT(trial.finding(), HasSubstr("MPI's own 1.5"));
    EXPECT_FALSE(trial.add(Seconds(9), 100)) << "it is over";
}

TEST(Trial, ends_after_two_rounds_where_the_answer_is_clear) {
    Trial trial;
    do_round(trial, 9, 1);
    EXPECT_FALSE(trial.is_over()) << "the first calls make connections";
    do_round(trial, 6, 1);
    EXPECT_TRUE(trial.is_over());
    EXPECT_EQ(trial.next(), Way::native);
}

TEST(Trial, goes_by_the_best_call_of_each) {
    Trial trial;
    do_round(trial, 2, 1.2);
    do_round(trial, 0.9, 1.3);
    do_round(trial, 2, 1);
    EXPECT_EQ(trial.next(), Way::planned);
}

TEST(Trial, leaves_to_mpi_what_is_as_fast) {
    Trial trial;
    for (int round = 0; round < 3; ++round) do_round(trial, 0.99, 1);
    EXPECT_EQ(trial.next(), Way::native);
}

TEST(Trial, compares_calls_of_different_sizes_by_the_byte) {
    Trial trial;
    for (int round = 0; round < 3; ++round) {
        ASSERT_FALSE(trial.add(Seconds(2), 400));
        ASSERT_TRUE(trial.add(Seconds(1), 100));
        trial.agree(trial.round());
    }
    EXPECT_EQ(trial.next(), Way::planned);
}

TEST(Trial, can_be_done_without) {
    Trial trial = Trial::without(Way::planned);
    EXPECT_TRUE(trial.is_over());
    EXPECT_EQ(trial.next(), Way::planned);
    EXPECT_FALSE(trial.add(Seconds(1), 1));
    EXPECT_EQ(trial.finding(), "");
    EXPECT_EQ(Trial::without(Way::native).next(), Way::native);
}

}  // namespace
}  // namespace espalier::runtime
