// Calls that fail in the middle of a plan, while errors are returned, and calls that one rank alone
// makes in a way that others do not: nobody waits for ever, and later calls bring what they should.

#include "collective_checks.hpp"

#ifdef ESPALIER_MPI_OPENMPI
/// As Open MPI 5 has it: calls look out for revocations then, which never come here.
extern "C" int PMPIX_Comm_revoke(MPI_Comm) { return MPI_SUCCESS; }

extern "C" {
// As other compilers than gfortran spell them.
// NOLINTBEGIN(readability-identifier-naming): Open MPI's names
int MPI_FORTRAN_IN_PLACE;
void MPI_ALLREDUCE(void*, void*, void*, void*, void*, void*, MPI_Fint*);
// NOLINTEND(readability-identifier-naming)
}
#endif

namespace {

using espalier::test::class_of;
using espalier::test::is_planned;
using espalier::test::rank_in;
using espalier::test::size_of;

/// Ranks 0 and 1 of the world, whose errors are returned; MPI_COMM_NULL on others. MPICH asks the
/// world's handler about what is waited for, whatever communicator it is on.
MPI_Comm first_two() {
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    if (pair != MPI_COMM_NULL) MPI_Comm_set_errhandler(pair, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return pair;
}

void expect_sum(MPI_Comm comm) {
    const int size = size_of(comm);
    int sum = 0;
    EXPECT_EQ(MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    EXPECT_EQ(sum, size * size);
}

// As large by the classes of sizes, so that both ranks follow one plan.
TEST(Failures, a_message_that_is_too_long_is_an_error_of_its_receiver_alone) {
    MPI_Comm pair = first_two();
    if (pair == MPI_COMM_NULL) return;
    const int rank = rank_in(pair);
    for (const int factor : {1, 3000}) {
        for (int round = 0; round < 3 && size_of(pair) == 2; ++round) {
            const int root = round % 2;
            const int count = factor * (rank == root ? 36 : 33);
            std::vector<int> data(static_cast<std::size_t>(36 * factor), rank);
            const int code = MPI_Bcast(data.data(), count, MPI_INT, root, pair);
            EXPECT_EQ(class_of(code), rank == root ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
            expect_sum(pair);
        }
    }
    MPI_Comm_free(&pair);
}

TEST(Failures, ranks_go_on_where_a_message_was_too_long_for_one_of_them) {
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    const int rank = rank_in(all);
    const int size = size_of(all);
    for (const int factor : {1, 3000, 100'000}) {
        for (int root = 0; root < size; ++root) {
            const bool is_short = rank == (root + 1) % size;
            std::vector<int> data(static_cast<std::size_t>(36 * factor), rank);
            const int code =
                MPI_Bcast(data.data(), factor * (is_short ? 33 : 36), MPI_INT, root, all);
            if (is_short) {
                EXPECT_EQ(class_of(code), MPI_ERR_TRUNCATE);
            }
            expect_sum(all);
        }
    }
    MPI_Comm_free(&all);
}

int handled = 0;

void count_it(MPI_Comm*, int*, ...) { ++handled; }

TEST(Failures, an_error_in_a_plan_comes_to_the_programs_handler_once) {
    MPI_Comm pair = first_two();
    if (pair == MPI_COMM_NULL) return;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(&count_it, &handler);
    MPI_Comm_set_errhandler(pair, handler);
    handled = 0;
    const bool receives = rank_in(pair) == 1;
    std::vector<int> data(36);
    const int code = MPI_Bcast(data.data(), receives ? 33 : 36, MPI_INT, 0, pair);
    EXPECT_EQ(class_of(code), receives ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    EXPECT_EQ(handled, receives ? 1 : 0);
    expect_sum(pair);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&pair);
}

// The library is told to bear it; who asks is one rank.
TEST(Failures, one_rank_whose_input_is_its_output_keeps_nobody_waiting) {
    const int rank = rank_in(MPI_COMM_WORLD);
    const int size = size_of(MPI_COMM_WORLD);
    for (const int count : {1, 5000}) {
        const auto length = static_cast<std::size_t>(count);
        std::vector<int> one(length, rank + 1);
        std::vector<int> other(length, -1);
        int* out = rank == 0 ? one.data() : other.data();
        EXPECT_EQ(MPI_Allreduce(one.data(), out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        EXPECT_EQ(std::vector<int>(out, out + count),
                  std::vector<int>(length, size * (size + 1) / 2));
        std::vector<int> all(length * static_cast<std::size_t>(size), -1);
        int* const block = all.data() + length * static_cast<std::size_t>(rank);
        std::fill_n(block, count, rank);
        std::fill(one.begin(), one.end(), rank);
        EXPECT_EQ(MPI_Allgather(rank == size - 1 ? block : one.data(), count, MPI_INT, all.data(),
                                count, MPI_INT, MPI_COMM_WORLD),
                  MPI_SUCCESS);
        for (int from = 0; from < size; ++from) {
            EXPECT_EQ(all[length * static_cast<std::size_t>(from)], from);
        }
    }
}

#ifdef ESPALIER_MPI_OPENMPI
TEST(Failures, memory_in_place_is_known_as_every_fortran_compiler_spells_it) {
    MPI_Fint count = 1;
    MPI_Fint type = MPI_Type_c2f(MPI_INT);
    MPI_Fint op = MPI_Op_c2f(MPI_SUM);
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    MPI_Fint error = -1;
    int sum = 3;
    MPI_ALLREDUCE(&MPI_FORTRAN_IN_PLACE, &sum, &count, &type, &op, &comm, &error);
    EXPECT_EQ(error, MPI_SUCCESS);
    EXPECT_EQ(sum, 3 * size_of(MPI_COMM_WORLD));
}
#endif

}  // namespace
