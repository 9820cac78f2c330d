// Threads that begin nonblocking collectives on communicators of their own at once, and move on
// those of the others while they wait.

#include "nonblocking_calls.hpp"
#include "threads_main.hpp"

#include <mpi.h>

#include <memory>
#include <vector>

namespace {

using espalier::test::Data;
using espalier::test::nonblocking_calls;

/// All kinds at once; how many results are wrong.
int wrong_results(MPI_Comm comm, int count, std::uint64_t seed) {
    struct Begun {
        Data data;
        Data expected;
    };
    std::vector<std::unique_ptr<Begun>> all;
    for (const auto& call : nonblocking_calls) {
        const Data data(comm, count, 0, ++seed);
        all.push_back(std::make_unique<Begun>(Begun{data, data}));
        call.past(all.back()->expected, comm);
    }
    std::vector<MPI_Request> requests(all.size());
    for (std::size_t k = 0; k < all.size(); ++k)
        nonblocking_calls[k].begin(all[k]->data, comm, &requests[k]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    int wrong = 0;
    for (const auto& each : all) wrong += each->data == each->expected ? 0 : 1;
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    return espalier::test::run_threads(argc, argv, 2, [](MPI_Comm comm, int thread) {
        int wrong = 0;
        for (int call = 0; call < 6; ++call) {
            wrong += wrong_results(comm, 5 + 777 * (call / 2), static_cast<std::uint64_t>(thread));
            MPI_Barrier(comm);
        }
        return wrong;
    });
}
