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

TEST(Trial, goes_by_the_round_in_the_middle) {
    for (const double last : {1.5, 0.5}) {
        Trial trial;
        do_round(trial, 20, 1);
        do_round(trial, 0.9, 1);
        do_round(trial, last, 1);
        EXPECT_EQ(trial.next(), last < 1 ? Way::planned : Way::native);
    }
}

TEST(Trial, leaves_to_mpi_what_is_as_fast) {
    Trial trial;
    for (int round = 0; round < 3; ++round) do_round(trial, 0.99, 1);
    EXPECT_EQ(trial.next(), Way::native);
}

/// A round of which the planned call moves `times` as much as the other.
void do_uneven_round(Trial& trial, double planned, double native, double times) {
    ASSERT_FALSE(trial.add(Seconds(planned), 100 * times));
    ASSERT_TRUE(trial.add(Seconds(native), 100));
    trial.agree(trial.round());
}

TEST(Trial, does_not_compare_calls_of_different_sizes) {
    Trial trial;
    do_uneven_round(trial, 1, 9, 0.1);
    do_uneven_round(trial, 9, 1, 1.2);
    do_uneven_round(trial, 1, 9, 1.3);
    EXPECT_FALSE(trial.is_over());
    do_uneven_round(trial, 9, 1, 1);
    EXPECT_TRUE(trial.is_over());
    EXPECT_EQ(trial.agreements(), 4u);
    EXPECT_EQ(trial.next(), Way::native);
}

TEST(Trial, leaves_to_mpi_what_can_never_be_compared) {
    Trial trial;
    for (std::size_t round = 0; round < Trial::most_rounds; ++round) {
        EXPECT_FALSE(trial.is_over());
        do_uneven_round(trial, 1, 9, 3);
    }
    EXPECT_EQ(trial.next(), Way::native);
    EXPECT_THAT(trial.finding(), HasSubstr("differ"));
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
