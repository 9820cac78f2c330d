#include "mpi/ranks.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <numeric>
#include <vector>

namespace {

using espalier::test::rank_in;
using espalier::test::size_of;

/// Each collective that a plan could have been kept for; all fail where it is that of other ranks.
void expect_collectives(MPI_Comm comm) {
    const auto size = static_cast<std::size_t>(size_of(comm));
    const int rank = rank_in(comm);
    for (int root = 0; root < size_of(comm); ++root) {
        int word = rank == root ? 1000 + root : -1;
        MPI_Bcast(&word, 1, MPI_INT, root, comm);
        EXPECT_EQ(word, 1000 + root);
    }
    std::vector<int> mine(size, rank);
    std::vector<int> theirs(size, -1);
    std::vector<int> expected(size);
    std::iota(expected.begin(), expected.end(), 0);
    MPI_Alltoall(mine.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, comm);
    EXPECT_EQ(theirs, expected);
    theirs.assign(size, -1);
    MPI_Allgather(&rank, 1, MPI_INT, theirs.data(), 1, MPI_INT, comm);
    EXPECT_EQ(theirs, expected);
    int sum = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT_EQ(sum, std::accumulate(expected.begin(), expected.end(), 0));
}

/// Of the ranks from `first` to `last` of the world, made as its group.
MPI_Comm created(int first, int last) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int range[1][3] = {{first, last, 1}};
    MPI_Group_range_incl(world, 1, range, &some);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    return comm;
}

TEST(Attributes, plans_of_a_communicator_are_not_those_of_one_that_is_created_from_it) {
    expect_collectives(MPI_COMM_WORLD);
    const int last = size_of(MPI_COMM_WORLD) - 1;
    for (const int first : {0, last / 2}) {
        MPI_Comm comm = created(first, last);
        if (comm == MPI_COMM_NULL) continue;
        expect_collectives(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm all_but_one = created(0, last == 0 ? 0 : last - 1);
    if (all_but_one != MPI_COMM_NULL) {
        expect_collectives(all_but_one);
        MPI_Comm_free(&all_but_one);
    }
}

TEST(Attributes, duplicates_go_on_with_what_is_known) {
    expect_collectives(MPI_COMM_WORLD);
    MPI_Comm twin = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm grandchild = MPI_COMM_NULL;
    MPI_Comm_dup(twin, &grandchild);
    expect_collectives(grandchild);
    MPI_Comm_free(&twin);
    expect_collectives(grandchild);
    MPI_Comm_free(&grandchild);
}

int count_copy(MPI_Comm, int, void* copies, void* attribute, void* copy, int* flag) {
    ++*static_cast<int*>(copies);
    *static_cast<void**>(copy) = attribute;
    *flag = 1;
    return MPI_SUCCESS;
}

int count_deletion(MPI_Comm, int, void* attribute, void*) {
    ++*static_cast<int*>(attribute);
    return MPI_SUCCESS;
}

TEST(Attributes, of_the_program_are_not_copied_by_collectives) {
    int copies = 0;
    int deletions = 0;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(count_copy, count_deletion, &key, &copies);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank_in(MPI_COMM_WORLD), &comm);
    MPI_Comm_set_attr(comm, key, &deletions);
    expect_collectives(comm);
    EXPECT_EQ(copies, 0);
    MPI_Comm_free(&comm);
    EXPECT_EQ(deletions, 1);
    MPI_Comm_free_keyval(&key);
}

}  // namespace
