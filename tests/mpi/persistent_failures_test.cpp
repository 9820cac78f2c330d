// Persistent collectives that fail: whatever completes them says what the operation failed with,
// and the handler of their communicator hears of it once.

#include "mpi/ranks.hpp"
#include "runtime/collective_table.hpp"
#include "runtime/process.hpp"

#include <gmock/gmock.h>
#include <mpi.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace {

bool combining_fails = false;

}  // namespace

/// Found here by the library, in place of MPI's.
extern "C" int PMPI_Reduce_local(const void* in, void* inout, int count, MPI_Datatype type,
                                 MPI_Op op) {
    return combining_fails ? MPI_ERR_OP : MPI_Reduce_local(in, inout, count, type, op);
}

namespace {

using espalier::test::class_of;
using espalier::test::rank_in;

/// Completes a request; returns what it is said to have failed with.
using Completion = std::function<int(MPI_Request&)>;

/// The same of an array of it and one that is over; a code in a status counts where MPI says so.
int in_status(int code, const MPI_Status& status) {
    return class_of(code) == MPI_ERR_IN_STATUS ? status.MPI_ERROR : code;
}

struct Way {
    const char* name;
    Completion complete;
};

const std::vector<Way> ways{
    {"wait", [](MPI_Request& request) { return MPI_Wait(&request, MPI_STATUS_IGNORE); }},
    {"test",
     [](MPI_Request& request) {
         int code = MPI_SUCCESS;
         for (int flag = 0; flag == 0 && code == MPI_SUCCESS;)
             code = MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
         return code;
     }},
    {"waitany",
     [](MPI_Request& request) {
         int index = -1;
         std::vector<MPI_Request> two{MPI_REQUEST_NULL, request};
         return MPI_Waitany(2, two.data(), &index, MPI_STATUS_IGNORE);
     }},
    {"testany",
     [](MPI_Request& request) {
         int index = -1;
         int code = MPI_SUCCESS;
         std::vector<MPI_Request> two{MPI_REQUEST_NULL, request};
         for (int flag = 0; flag == 0 && code == MPI_SUCCESS;)
             code = MPI_Testany(2, two.data(), &index, &flag, MPI_STATUS_IGNORE);
         return code;
     }},
    {"waitall",
     [](MPI_Request& request) {
         std::vector<MPI_Request> two{MPI_REQUEST_NULL, request};
         std::vector<MPI_Status> statuses(2);
         const int code = MPI_Waitall(2, two.data(), statuses.data());
         return in_status(code, statuses[1]);
     }},
    {"testall",
     [](MPI_Request& request) {
         int code = MPI_SUCCESS;
         std::vector<MPI_Request> two{MPI_REQUEST_NULL, request};
         std::vector<MPI_Status> statuses(2);
         for (int flag = 0; flag == 0 && code == MPI_SUCCESS;)
             code = MPI_Testall(2, two.data(), &flag, statuses.data());
         return in_status(code, statuses[1]);
     }},
    {"waitsome",
     [](MPI_Request& request) {
         int over = 0;
         std::vector<int> places(2);
         std::vector<MPI_Request> two{MPI_REQUEST_NULL, request};
         std::vector<MPI_Status> statuses(2);
         const int code = MPI_Waitsome(2, two.data(), &over, places.data(), statuses.data());
         return in_status(code, statuses[0]);
     }},
    {"testsome",
     [](MPI_Request& request) {
         int code = MPI_SUCCESS;
         std::vector<int> places(2);
         std::vector<MPI_Request> two{MPI_REQUEST_NULL, request};
         std::vector<MPI_Status> statuses(2);
         for (int over = 0; over == 0 && code == MPI_SUCCESS;)
             code = MPI_Testsome(2, two.data(), &over, places.data(), statuses.data());
         return in_status(code, statuses[0]);
     }},
};

int handled = 0;

void count_it(MPI_Comm*, int*, ...) { ++handled; }

/// Two ranks of the world, whose errors come to count_it(); MPI_COMM_NULL on others.
MPI_Comm first_two() {
    const int rank = rank_in(MPI_COMM_WORLD);
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &pair);
    // MPICH asks the world's handler about what is waited for.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return pair;
}

// Rank 1 only sends, so that it does not wait for one that has failed.
TEST(PersistentFailures, say_what_failed_however_they_are_completed) {
    MPI_Comm pair = first_two();
    if (pair == MPI_COMM_NULL) return;
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(&count_it, &handler);
    MPI_Comm_set_errhandler(pair, handler);
    const bool combines = rank_in(pair) == 0;
    const std::vector<int> in(100, 3);
    std::vector<int> out(100, -1);
    for (const Way& way : ways)
        for (const bool fails : {false, true}) {
            MPI_Request request = MPI_REQUEST_NULL;
            ESPALIER_INITIALIZATION(Reduce)
            (in.data(), out.data(), 100, MPI_INT, MPI_SUM, 0, pair, MPI_INFO_NULL, &request);
            auto* const process = espalier::runtime::Process::current();
            ASSERT_NE(process->persistent_calls().find(request), nullptr) << way.name;
            combining_fails = fails;
            handled = 0;
            MPI_Start(&request);
            const int code = way.complete(request);
            combining_fails = false;
            const bool is_wrong = fails && combines;
            EXPECT_EQ(class_of(code), is_wrong ? MPI_ERR_OP : MPI_SUCCESS) << way.name;
            EXPECT_EQ(handled, is_wrong ? 1 : 0) << way.name;
            if (combines && !fails) {
                EXPECT_EQ(out, std::vector<int>(100, 6)) << way.name;
            }
            // Open MPI may have freed one that has failed.
            if (!is_wrong) MPI_Request_free(&request);
        }
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&pair);
}

#ifdef ESPALIER_MPI_OPENMPI
// MPICH asks the world's about all that is waited for.
TEST(PersistentFailures, ask_no_handler_of_a_communicator_that_was_freed) {
    MPI_Comm pair = first_two();
    if (pair == MPI_COMM_NULL) return;
    const bool combines = rank_in(pair) == 0;
    const int in = 3;
    int out = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    ESPALIER_INITIALIZATION(Reduce)
    (&in, &out, 1, MPI_INT, MPI_SUM, 0, pair, MPI_INFO_NULL, &request);
    MPI_Comm_free(&pair);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(&count_it, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    handled = 0;
    combining_fails = true;
    MPI_Start(&request);
    EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), combines ? MPI_ERR_OP : MPI_SUCCESS);
    combining_fails = false;
    EXPECT_EQ(handled, 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}
#endif

}  // namespace
