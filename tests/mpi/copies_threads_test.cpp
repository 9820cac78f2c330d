// Threads whose collectives copy data of types with holes at once: each copy is a message of the
// process to itself, and none may be taken for another's.

#include "threads_main.hpp"

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

/// What MPI does, but others get their turn between its halves.
extern "C" int PMPI_Sendrecv(const void* data, int count, MPI_Datatype type, int receiver, int tag,
                             void* place, int places, MPI_Datatype as, int sender, int sender_tag,
                             MPI_Comm comm, MPI_Status* status) {
    std::array<MPI_Request, 2> requests{};
    if (const int code = PMPI_Irecv(place, places, as, sender, sender_tag, comm, requests.data());
        code != MPI_SUCCESS)
        return code;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (const int code = PMPI_Isend(data, count, type, receiver, tag, comm, &requests[1]);
        code != MPI_SUCCESS)
        return code;
    PMPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    return PMPI_Wait(requests.data(), status);
}

namespace {

/// All ranks get every second int of each, in a blocking call and a nonblocking one; how many are
/// wrong.
int wrong_results(MPI_Comm comm, int seed) {
    constexpr int count = 50;
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Datatype holed = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, 1, 2, MPI_INT, &holed);
    MPI_Type_commit(&holed);
    const std::vector<int> own(std::size_t{2} * count, 100 * seed + rank);
    std::array<std::vector<int>, 2> all;
    for (auto& each : all) each.assign(std::size_t{count} * static_cast<std::size_t>(size), -1);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(own.data(), 1, holed, all[0].data(), count, MPI_INT, comm, &request);
    MPI_Allgather(own.data(), 1, holed, all[1].data(), count, MPI_INT, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&holed);
    int wrong = 0;
    for (const auto& each : all)
        for (std::size_t k = 0; k < each.size(); ++k)
            wrong += each[k] == 100 * seed + static_cast<int>(k) / count ? 0 : 1;
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    return espalier::test::run_threads(argc, argv, 2, [](MPI_Comm comm, int thread) {
        int wrong = 0;
        for (int call = 0; call < 10; ++call) wrong += wrong_results(comm, thread);
        return wrong;
    });
}
