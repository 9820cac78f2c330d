// Error handlers of the program: none of them is ever replaced, and they may free the communicator
// whose call failed, as programs do that go on with another one.

#include "collective_checks.hpp"

#include <dlfcn.h>

namespace {

using espalier::test::class_of;
using espalier::test::rank_in;
using espalier::test::size_of;

std::vector<MPI_Comm> replaced;

}  // namespace

/// In place of the MPI library's, which it goes on to.
extern "C" int PMPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
    static const auto next = reinterpret_cast<decltype(&PMPI_Comm_set_errhandler)>(
        dlsym(RTLD_NEXT, "PMPI_Comm_set_errhandler"));
    replaced.push_back(comm);
    return next(comm, handler);
}

namespace {

int handled = 0;

void free_it(MPI_Comm* comm, int*, ...) {
    ++handled;
    MPI_Comm freed = *comm;
    MPI_Comm_free(&freed);
}

/// A duplicate of the world, whose errors free it. MPICH asks the world's handler about what is
/// waited for, whatever communicator it is on.
MPI_Comm freed_by_errors() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(&free_it, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    handled = 0;
    return comm;
}

void expect_sum(MPI_Comm comm) {
    const int size = size_of(comm);
    int sum = 0;
    MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT_EQ(sum, size * size);
}

// Another thread's errors on the communicator would be returned meanwhile, to who expects to be
// ended by them.
TEST(Handlers, of_the_programs_communicators_are_never_replaced) {
    // MPI_Init does so to the world's for what it sends there, before anybody can have another one.
    replaced.clear();
    espalier::test::on_communicators([](MPI_Comm comm) {
        for (int call = 0; call < 12; ++call) expect_sum(comm);
        std::vector<int> data(5000, rank_in(comm));
        MPI_Bcast(data.data(), 5000, MPI_INT, size_of(comm) - 1, comm);
        EXPECT_EQ(data.back(), size_of(comm) - 1);
        MPI_Barrier(comm);
    });
    EXPECT_THAT(replaced, ::testing::IsEmpty());
}

TEST(Handlers, may_free_a_communicator_whose_call_has_wrong_arguments) {
    for (int round = 0; round < 3; ++round) {
        MPI_Comm comm = freed_by_errors();
        for (int call = 0; call < round; ++call) expect_sum(comm);
        int value = 0;
        EXPECT_EQ(class_of(MPI_Bcast(&value, 1, MPI_INT, size_of(comm), comm)), MPI_ERR_ROOT);
        EXPECT_EQ(handled, 1);
        expect_sum(MPI_COMM_WORLD);
    }
}

TEST(Handlers, may_free_a_communicator_on_which_a_message_was_too_long) {
    for (int round = 0; round < 3; ++round) {
        MPI_Comm comm = freed_by_errors();
        for (int call = 0; call < round; ++call) expect_sum(comm);
        const bool receives = rank_in(comm) == 1;
        std::vector<int> data(36);
        const int code = MPI_Bcast(data.data(), receives ? 33 : 36, MPI_INT, 0, comm);
        EXPECT_EQ(class_of(code), receives ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
        EXPECT_EQ(handled, receives ? 1 : 0);
        if (!receives) MPI_Comm_free(&comm);
        expect_sum(MPI_COMM_WORLD);
    }
}

}  // namespace
