#include "mpi/collective_checks.hpp"
#include "runtime/communicator.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace {

using espalier::runtime::Communicator;
using espalier::runtime::Process;
using espalier::test::class_of;
using espalier::test::expect_own_receive_untouched_by;
using espalier::test::rank_in;
using espalier::test::size_of;

Communicator::Verdict verdict_on(MPI_Comm comm) { return espalier::test::state_of(comm).verdict(); }

/// Different for each place, root and call.
std::vector<unsigned char> pattern(std::size_t bytes, int seed) {
    std::vector<unsigned char> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        data[i] = static_cast<unsigned char>(i * 7 + i / 253 + static_cast<std::size_t>(seed) * 13);
    return data;
}

void expect_broadcast(std::size_t bytes, int root, MPI_Comm comm) {
    const auto expected = pattern(bytes, root);
    std::vector<unsigned char> data(bytes + 1, 0xEE);
    if (rank_in(comm) == root) std::copy(expected.begin(), expected.end(), data.begin());
    ASSERT_EQ(MPI_Bcast(data.data(), static_cast<int>(bytes), MPI_BYTE, root, comm), MPI_SUCCESS);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data.begin()))
        << bytes << " bytes from " << root;
    EXPECT_EQ(data.back(), 0xEE) << "wrote past the end";
}

TEST(Bcast, is_planned_where_ranks_sit_in_several_clusters) {
    expect_broadcast(8, 0, MPI_COMM_WORLD);
    if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "nothing is planned";
    EXPECT_EQ(verdict_on(MPI_COMM_WORLD), Communicator::Verdict::planned);
}

TEST(Bcast, brings_any_size_from_any_root) {
    for (int root = 0; root < size_of(MPI_COMM_WORLD); ++root)
        for (const std::size_t bytes : {0u, 1u, 3u, 8u, 1000u, 4097u, 65536u, 65537u, 300001u})
            expect_broadcast(bytes, root, MPI_COMM_WORLD);
}

TEST(Bcast, brings_megabytes) { expect_broadcast((4u << 20) + 5, 0, MPI_COMM_WORLD); }

TEST(Bcast, keeps_up_with_sizes_that_never_come_twice) {
    for (std::size_t bytes = 20'000; bytes < 21'000; bytes += 37)
        expect_broadcast(bytes, 0, MPI_COMM_WORLD);
}

TEST(Bcast, leaves_the_holes_of_a_type_alone) {
    constexpr int blocks = 5000;
    MPI_Datatype every_third = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, 1, 3, MPI_INT, &every_third);
    MPI_Type_commit(&every_third);
    const int root = size_of(MPI_COMM_WORLD) - 1;
    std::vector<int> data(blocks * 3, -1);
    if (rank_in(MPI_COMM_WORLD) == root)
        for (std::size_t i = 0; i < blocks; ++i) data[3 * i] = static_cast<int>(i);
    MPI_Bcast(data.data(), 1, every_third, root, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < data.size(); ++i)
        ASSERT_EQ(data[i], i % 3 == 0 ? static_cast<int>(i / 3) : -1);
    MPI_Type_free(&every_third);
}

TEST(Bcast, keeps_the_order_of_a_type_that_names_its_parts_backwards) {
    // No hole, so its extent is its size; but its first element is its last in memory.
    const int lengths[2] = {1, 1};
    const int displacements[2] = {1, 0};
    MPI_Datatype backwards = MPI_DATATYPE_NULL;
    MPI_Type_indexed(2, lengths, displacements, MPI_INT, &backwards);
    MPI_Type_commit(&backwards);
    std::vector<int> data(2, -1);
    if (rank_in(MPI_COMM_WORLD) == 0) {
        data = {20, 10};
        MPI_Bcast(data.data(), 1, backwards, 0, MPI_COMM_WORLD);
    } else {
        MPI_Bcast(data.data(), 2, MPI_INT, 0, MPI_COMM_WORLD);
        EXPECT_THAT(data, testing::ElementsAre(10, 20));
    }
    MPI_Type_free(&backwards);
}

TEST(Bcast, agrees_where_ranks_count_the_same_bytes_differently) {
    constexpr int length = 3000;
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Datatype rows = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(length / 10, MPI_INT, &row);
    MPI_Type_dup(row, &rows);
    MPI_Type_commit(&rows);
    MPI_Datatype column = MPI_DATATYPE_NULL;
    MPI_Type_vector(length, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);

    const int rank = rank_in(MPI_COMM_WORLD);
    std::vector<int> expected(length);
    std::iota(expected.begin(), expected.end(), 100);
    std::vector<int> data(2 * length, -1);
    if (rank == 0) {
        data.assign(expected.begin(), expected.end());
        MPI_Bcast(data.data(), length, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (rank % 2 == 0) {
        MPI_Bcast(data.data(), 10, rows, 0, MPI_COMM_WORLD);
    } else {
        MPI_Bcast(data.data(), 1, column, 0, MPI_COMM_WORLD);
        for (std::size_t i = 0; i < length; ++i) data[i] = data[2 * i];
    }
    data.resize(length);
    EXPECT_EQ(data, expected);
    MPI_Type_free(&row);
    MPI_Type_free(&rows);
    MPI_Type_free(&column);
}

TEST(Bcast, moves_pairs_with_padding) {
    struct Pair {
        double value;
        int index;
    };
    std::vector<Pair> data(700, Pair{-1, -1});
    if (rank_in(MPI_COMM_WORLD) == 0)
        for (std::size_t i = 0; i < data.size(); ++i)
            data[i] = {static_cast<double>(i) / 2, static_cast<int>(i)};
    MPI_Bcast(data.data(), 700, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < data.size(); ++i) {
        ASSERT_EQ(data[i].value, static_cast<double>(i) / 2);
        ASSERT_EQ(data[i].index, static_cast<int>(i));
    }
}

TEST(Bcast, works_on_parts_and_copies_of_the_world_and_when_they_go) {
    const int rank = rank_in(MPI_COMM_WORLD);
    for (int round = 0; round < 20; ++round) {
        MPI_Comm part = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, round % 3 == 0 ? 0 : rank % (round % 3), -rank, &part);
        expect_broadcast(5000, round % size_of(part), part);
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(part, &copy);
        expect_broadcast(5000, 0, part);
        MPI_Comm_free(&part);
        expect_broadcast(5000, round % size_of(copy), copy);
        expect_broadcast(70'000, 0, copy);
        MPI_Comm_free(&copy);
    }
}

TEST(Bcast, hands_a_copy_what_it_knows_of_the_original) {
    if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "nothing is known";
    expect_broadcast(8, 0, MPI_COMM_WORLD);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    void* state = nullptr;
    int found = 0;
    MPI_Comm_get_attr(copy, Process::current()->keyval(), &state, &found);
    EXPECT_NE(found, 0);
    void* original = nullptr;
    MPI_Comm_get_attr(MPI_COMM_WORLD, Process::current()->keyval(), &original, &found);
    EXPECT_NE(state, original);
    MPI_Comm_free(&copy);
}

TEST(Bcast, is_left_to_mpi_within_one_cluster) {
    if (size_of(MPI_COMM_WORLD) == 1) GTEST_SKIP() << "nothing is planned";
    // A host's first letter is its cluster.
    MPI_Comm part = MPI_COMM_NULL;
    const std::string& host = Process::current()->host();
    MPI_Comm_split(MPI_COMM_WORLD, host.front(), 0, &part);
    expect_broadcast(4096, 0, part);
    EXPECT_EQ(verdict_on(part), size_of(part) == 1 ? Communicator::Verdict::alone
                                                   : Communicator::Verdict::one_cluster);
    MPI_Comm_free(&part);
}

TEST(Bcast, never_meets_the_receives_of_the_program) {
    expect_own_receive_untouched_by([] {
        expect_broadcast(100'000, 0, MPI_COMM_WORLD);
        expect_broadcast(4, size_of(MPI_COMM_WORLD) - 1, MPI_COMM_WORLD);
    });
}

int copies_made = 0;

int count_copy(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
    ++copies_made;
    *static_cast<void**>(copy) = value;
    *flag = 1;
    return MPI_SUCCESS;
}

TEST(Bcast, does_not_copy_the_attributes_of_the_program) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
    int value = 0;
    MPI_Comm_set_attr(comm, keyval, &value);
    copies_made = 0;
    expect_broadcast(3000, 0, comm);
    EXPECT_EQ(copies_made, 0);
    MPI_Comm_delete_attr(comm, keyval);
    MPI_Comm_free_keyval(&keyval);
    MPI_Comm_free(&comm);
}

TEST(Bcast, finds_one_answer_for_every_root_again_and_again) {
    const int size = size_of(MPI_COMM_WORLD);
    for (int round = 0; round < 3 * size; ++round)
        expect_broadcast(12'345, round % size, MPI_COMM_WORLD);
}

#ifndef ESPALIER_MPI_SMPI
TEST(Bcast, returns_the_error_of_a_root_that_is_not_there) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int value = 0;
    const int code = MPI_Bcast(&value, 1, MPI_INT, size_of(comm), comm);
    EXPECT_EQ(class_of(code), MPI_ERR_ROOT);
    MPI_Comm_free(&comm);
}

TEST(Bcast, leaves_intercommunicators_to_mpi) {
    const int rank = rank_in(MPI_COMM_WORLD);
    if (size_of(MPI_COMM_WORLD) < 2) GTEST_SKIP() << "needs two groups";
    const bool left = rank % 2 == 0;
    MPI_Comm group = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, left ? 0 : 1, rank, &group);
    MPI_Comm between = MPI_COMM_NULL;
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, left ? 1 : 0, 3, &between);
    int value = rank == 0 ? 77 : -1;
    const int root = !left ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&value, 1, MPI_INT, root, between);
    if (!left) {
        EXPECT_EQ(value, 77);
    }
    EXPECT_EQ(verdict_on(between), Communicator::Verdict::intercommunicator);
    MPI_Comm_free(&between);
    MPI_Comm_free(&group);
}
#endif

}  // namespace
