// All-gathers under the library against what each rank can work out by itself: on a planned
// network, also where a part of the calls are tried by MPI's own algorithm, and every one has to be
// right.

#include "mpi/collective_checks.hpp"
#include "runtime/communicator.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <cstdint>
#include <vector>

namespace {

using espalier::runtime::Process;
using espalier::test::class_of;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::rank_in;
using espalier::test::size_of;

constexpr std::int32_t guard = -77;

/// Element `index` of what `from` has for all.
std::int32_t value(int from, int index, int seed) {
    return from * 1'000'003 + index * 31 + seed * 7;
}

void expect_gathered(int count, MPI_Comm comm, int seed, bool in_place = false) {
    const int rank = rank_in(comm);
    const int ranks = size_of(comm);
    std::vector<std::int32_t> input(static_cast<std::size_t>(count));
    std::vector<std::int32_t> output(static_cast<std::size_t>(count * ranks) + 2, guard);
    for (int i = 0; i < count; ++i)
        (in_place ? output[1 + static_cast<std::size_t>(rank * count + i)]
                  : input[static_cast<std::size_t>(i)]) = value(rank, i, seed);
    const auto before = input;
    const int code = in_place ? MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, output.data() + 1,
                                              count, MPI_INT32_T, comm)
                              : MPI_Allgather(input.data(), count, MPI_INT32_T, output.data() + 1,
                                              count, MPI_INT32_T, comm);
    ASSERT_EQ(code, MPI_SUCCESS);
    EXPECT_EQ(input, before);
    EXPECT_EQ(output.front(), guard);
    EXPECT_EQ(output.back(), guard);
    for (int from = 0; from < ranks; ++from)
        for (int i = 0; i < count; ++i)
            ASSERT_EQ(output[1 + static_cast<std::size_t>(from * count + i)], value(from, i, seed))
                << count << " elements from " << from << ", element " << i;
}

TEST(Allgather, brings_blocks_of_any_size) {
    for (const int count : {0, 1, 3, 8, 255, 1000, 4097, 16384, 16385, 100'003})
        expect_gathered(count, MPI_COMM_WORLD, count);
}

TEST(Allgather, is_right_by_plan_and_by_mpis_own_call_after_call) {
    for (int call = 0; call < 9; ++call) expect_gathered(129, MPI_COMM_WORLD, call);
    for (int call = 0; call < 9; ++call) expect_gathered(30'001, MPI_COMM_WORLD, call);
}

TEST(Allgather, works_in_place) {
    for (const int count : {0, 1, 7, 513, 20'000})
        for (int call = 0; call < 3; ++call) expect_gathered(count, MPI_COMM_WORLD, call, true);
}

TEST(Allgather, is_planned_where_the_network_is_known) {
    if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "nothing is planned";
    auto& communicator = espalier::test::state_of(MPI_COMM_WORLD);
    expect_gathered(5000, MPI_COMM_WORLD, 1);
    const auto question =
        espalier::runtime::Question::about(espalier::schedule::Kind::allgather, 20'000);
    const auto* gather = communicator.plans().find(question.signature);
    ASSERT_NE(gather, nullptr);
    EXPECT_FALSE(gather->is_native()) << gather->reason();
    EXPECT_GT(communicator.executor().runs(), 0u);
}

TEST(Allgather, moves_bytes_that_no_word_is_aligned_to) {
    const auto ranks = static_cast<std::size_t>(size_of(MPI_COMM_WORLD));
    const auto rank = static_cast<std::size_t>(rank_in(MPI_COMM_WORLD));
    constexpr std::size_t block = 333;
    std::vector<unsigned char> input(block + 1);
    std::vector<unsigned char> output(block * ranks + 4, 0xEE);
    for (std::size_t i = 0; i < block; ++i)
        input[i + 1] = static_cast<unsigned char>(i * 5 + rank * 17);
    MPI_Allgather(input.data() + 1, block, MPI_BYTE, output.data() + 3, block, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (std::size_t i = 0; i < block * ranks; ++i)
        ASSERT_EQ(output[i + 3], static_cast<unsigned char>(i % block * 5 + i / block * 17));
    EXPECT_EQ(output[2], 0xEE);
    EXPECT_EQ(output.back(), 0xEE);
}

/// Every second element.
class SpreadType {
public:
    explicit SpreadType(int count) {
        MPI_Type_vector(count, 1, 2, MPI_INT32_T, &vector_);
        MPI_Type_create_resized(vector_, 0, 2 * count * static_cast<MPI_Aint>(sizeof(std::int32_t)),
                                &type_);
        MPI_Type_commit(&type_);
    }
    SpreadType(const SpreadType&) = delete;
    SpreadType& operator=(const SpreadType&) = delete;
    ~SpreadType() {
        MPI_Type_free(&vector_);
        MPI_Type_free(&type_);
    }
    [[nodiscard]] MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype vector_ = MPI_DATATYPE_NULL;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

TEST(Allgather, leaves_the_holes_of_a_type_alone) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rank = rank_in(MPI_COMM_WORLD);
    constexpr int count = 50;
    const SpreadType spread(count);
    const auto at = [](int block, int i) {
        return static_cast<std::size_t>(2 * (block * count + i));
    };
    const auto expect = [&](const std::vector<std::int32_t>& output, int seed) {
        for (int from = 0; from < ranks; ++from)
            for (int i = 0; i < count; ++i) {
                ASSERT_EQ(output[at(from, i)], value(from, i, seed));
                ASSERT_EQ(output[at(from, i) + 1], guard);
            }
    };
    for (int call = 0; call < 6; ++call) {
        std::vector<std::int32_t> holed(2 * count, guard);
        std::vector<std::int32_t> dense(count, guard);
        std::vector<std::int32_t> output(static_cast<std::size_t>(2 * count * ranks), guard);
        for (int i = 0; i < count; ++i) {
            holed[at(0, i)] = dense[static_cast<std::size_t>(i)] = value(rank, i, call);
            if (call % 3 == 2) output[at(rank, i)] = value(rank, i, call);
        }
        if (call % 3 == 0)
            MPI_Allgather(holed.data(), 1, spread.get(), output.data(), 1, spread.get(),
                          MPI_COMM_WORLD);
        else if (call % 3 == 1)
            MPI_Allgather(dense.data(), count, MPI_INT32_T, output.data(), 1, spread.get(),
                          MPI_COMM_WORLD);
        else
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, output.data(), 1, spread.get(),
                          MPI_COMM_WORLD);
        expect(output, call);
    }
}

TEST(Allgather, takes_a_type_at_one_rank_and_numbers_at_another) {
    const int ranks = size_of(MPI_COMM_WORLD);
    const int rank = rank_in(MPI_COMM_WORLD);
    constexpr int count = 64;
    const SpreadType spread(count);
    std::vector<std::int32_t> holed(2 * count, guard);
    std::vector<std::int32_t> output(static_cast<std::size_t>(2 * count * ranks), guard);
    const bool holes = rank % 2 == 1;
    const int stride = holes ? 2 : 1;
    for (int i = 0; i < count; ++i) holed[static_cast<std::size_t>(2 * i)] = value(rank, i, 3);
    for (int call = 0; call < 3; ++call) {
        MPI_Allgather(holed.data(), 1, spread.get(), output.data(), holes ? 1 : count,
                      holes ? spread.get() : MPI_INT32_T, MPI_COMM_WORLD);
        for (int from = 0; from < ranks; ++from)
            for (int i = 0; i < count; ++i)
                ASSERT_EQ(output[static_cast<std::size_t>(stride * (from * count + i))],
                          value(from, i, 3));
    }
}

TEST(Allgather, works_on_parts_of_the_world_in_any_order_and_on_copies) {
    const int rank = rank_in(MPI_COMM_WORLD);
    for (int round = 0; round < 4; ++round) {
        MPI_Comm part = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank % (1 + round % 3), round % 2 == 0 ? rank : -rank,
                       &part);
        expect_gathered(100, part, round);
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(part, &copy);
        expect_gathered(100, part, round);
        MPI_Comm_free(&part);
        for (int call = 0; call < 7; ++call) expect_gathered(100, copy, round);
        MPI_Comm_free(&copy);
    }
}

TEST(Allgather, never_meets_the_receives_of_the_program) {
    if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "nothing is planned";
    expect_own_receive_untouched_by([] {
        expect_gathered(1, MPI_COMM_WORLD, 3);
        expect_gathered(9000, MPI_COMM_WORLD, 4);
    });
}

#ifndef ESPALIER_MPI_SMPI
TEST(Allgather, is_left_to_MPI_between_groups) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    if (size == 1) GTEST_SKIP() << "there is but one group";
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm between = MPI_COMM_NULL;
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &between);
    int others = 0;
    MPI_Comm_remote_size(between, &others);
    std::vector<std::int32_t> output(static_cast<std::size_t>(others), guard);
    const std::int32_t own = value(rank, 0, 0);
    MPI_Allgather(&own, 1, MPI_INT32_T, output.data(), 1, MPI_INT32_T, between);
    for (int other = 0; other < others; ++other)
        EXPECT_EQ(output[static_cast<std::size_t>(other)], value(2 * other + 1 - rank % 2, 0, 0));
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}

TEST(Allgather, returns_the_error_of_a_wrong_argument) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    std::vector<int> data(static_cast<std::size_t>(size_of(comm)), 1);
    int own = 1;
    const int code = MPI_Allgather(&own, -1, MPI_INT, data.data(), -1, MPI_INT, comm);
    EXPECT_EQ(class_of(code), MPI_ERR_COUNT);
    expect_gathered(5, comm, 1);
    MPI_Comm_free(&comm);
}
#endif

}  // namespace
