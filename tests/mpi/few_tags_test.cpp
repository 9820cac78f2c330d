// Calls whose tags come again while the first calls that had them are still to begin.

#include "mpi/ranks.hpp"

#include "runtime/neighbours.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

/// As of an MPI library that has no more tags than it has to.
extern "C" int PMPI_Comm_get_attr(MPI_Comm comm, int keyval, void* value, int* found) {
    static int greatest = 32767;
    if (keyval == MPI_TAG_UB) {
        *static_cast<int**>(value) = &greatest;
        *found = 1;
        return MPI_SUCCESS;
    }
    static const auto own =
        reinterpret_cast<decltype(&PMPI_Comm_get_attr)>(dlsym(RTLD_NEXT, "PMPI_Comm_get_attr"));
    return own(comm, keyval, value, found);
}

namespace {

using espalier::test::rank_in;

/// The calls of a communicator after which a tag comes again: of 15 bits one names the leader among
/// two ranks, 7 the communicator.
constexpr std::size_t tags = 127;

std::atomic<bool> has_to_begin = false;

int begin_late(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
    has_to_begin = true;
    if (rank_in(comm) == 0) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

TEST(Tags, of_what_has_not_begun_are_not_free) {
    const int sign = rank_in(MPI_COMM_WORLD) + 1;
    int sum = 0;
    MPI_Allreduce(&sign, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    espalier::runtime::Beyond<PMPI_Ibcast>::answers = begin_late;
    std::vector<MPI_Request> requests(tags + 1);
    int word = sign;
    MPI_Ibcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[tags]);
    // By the thread, then.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!has_to_begin && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    std::vector<int> own(tags);
    std::vector<int> sums(tags, -1);
    for (std::size_t k = 0; k < tags; ++k) {
        own[k] = sign * static_cast<int>(k + 2);
        MPI_Iallreduce(&own[k], &sums[k], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Allreduce(&sign, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 3);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    EXPECT_EQ(word, 1);
    for (std::size_t k = 0; k < tags; ++k) EXPECT_EQ(sums[k], 3 * static_cast<int>(k + 2));
    espalier::runtime::Beyond<PMPI_Ibcast>::answers = PMPI_Ibcast;
}

}  // namespace
