// What a program does with a communicator while a thread plans for what it has begun there.

#include "runs/running_program.hpp"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> plans_slowly = false;
std::atomic<bool> has_to_plan = false;
std::atomic<bool> has_planned = false;

}  // namespace

/// Who plans asks for it.
extern "C" int PMPI_Get_library_version(char* version, int* length) {
    static const auto own = reinterpret_cast<decltype(&PMPI_Get_library_version)>(
        dlsym(RTLD_NEXT, "PMPI_Get_library_version"));
    if (plans_slowly) {
        has_to_plan = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        has_planned = true;
    }
    return own(version, length);
}

namespace {

/// The first call of its signature, while the program does `meanwhile`; whether its result is
/// wrong.
template <typename Meanwhile>
int wrong_results(std::size_t count, const Meanwhile& meanwhile) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int word = static_cast<int>(count);
    std::vector<int> data(count, rank == 0 ? word : -1);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data.data(), word, MPI_INT, 0, MPI_COMM_WORLD, &request);
    meanwhile();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return std::ranges::all_of(data, [&](int each) { return each == word; }) ? 0 : 1;
}

void lay_anew() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    constexpr int is_ring = 1;
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_ring, 1, &ring);
    MPI_Comm_free(&ring);
}

void duplicate() {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_free(&copy);
}

/// Once the thread plans; whether it has by the time that there is a duplicate: half of what is
/// planned by is copied to nobody.
bool duplicate_meanwhile() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (plans_slowly && !has_to_plan && std::chrono::steady_clock::now() < end)
        std::this_thread::yield();
    duplicate();
    return has_planned || !plans_slowly;
}

void ask() {
    char* text = nullptr;
    espalier_running_program_1()->communicator(MPI_Comm_c2f(MPI_COMM_WORLD), &text);
    std::free(text);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    // What rank 0 plans for is still to come when it has begun.
    if (rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    plans_slowly = rank == 0;
    std::size_t count = 1;
    bool has_waited = false;
    int wrong = wrong_results(count, [&] { has_waited = duplicate_meanwhile(); });
    wrong += has_waited ? 0 : 1;
    plans_slowly = false;
    for (int round = 0; round < 5; ++round)
        for (const auto meanwhile : std::array{lay_anew, duplicate, ask})
            wrong += wrong_results(count *= 2, meanwhile);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
