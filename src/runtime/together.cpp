#include "runtime/together.hpp"

#include "runtime/abandonable.hpp"
#include "runtime/flavour.hpp"

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace espalier::runtime {

Clock::time_point after(Seconds time) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time.value));
}

void complete_asleep(MPI_Request& request) {
    // A simulated rank takes no processor from others.
    if constexpr (Flavour::paced) {
        check_handled(PMPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        (void)wait_asleep(Clock::time_point::max(), [&] {
            int done = 0;
            check_handled(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
            return done != 0;
        });
    }
}

std::string text_of_failure(int code) {
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    if (PMPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
    text.resize(static_cast<std::size_t>(length));
    return "an MPI call failed: " + text.substr(0, text.find('\n'));
}

std::string attempt(const std::function<void(const measure::Watch&)>& work,
                    const std::function<std::string()>& called_off) {
    std::string why;
    Abandonable* running = nullptr;
    const measure::Watch watch = [&](int code) {
        if (code != MPI_SUCCESS) {
            why = text_of_failure(code);
        } else {
            const std::string failed = problem_of([&] { why = called_off(); });
            if (!failed.empty()) why = failed;
        }
        if (!why.empty()) running->leave();
    };
    Abandonable abandonable([&] { work(watch); });
    running = &abandonable;
    const std::string thrown = problem_of([&] { (void)abandonable.run(); });
    return why.empty() ? thrown : why;
}

void broadcast(std::string& data, MPI_Comm comm, const measure::Watch& watch) {
    // In pieces that libraries send whole along a tree.
    constexpr std::size_t piece = 8192;
    std::vector<MPI_Request> requests;
    requests.reserve(data.size() / piece + 1);
    for (std::size_t begin = 0; begin < data.size(); begin += piece)
        watch(PMPI_Ibcast(data.data() + begin,
                          static_cast<int>(std::min(piece, data.size() - begin)), MPI_BYTE, 0, comm,
                          &requests.emplace_back(MPI_REQUEST_NULL)));
    (void)wait_asleep(Clock::time_point::max(), [&] {
        int done = 0;
        watch(PMPI_Testall(static_cast<int>(requests.size()), requests.data(), &done,
                           MPI_STATUSES_IGNORE));
        return done != 0;
    });
}

}  // namespace espalier::runtime
