#include "core/environment.hpp"
#include "measure/names.hpp"
#include "runtime/agreeing.hpp"
#include "runtime/clock.hpp"
#include "runtime/flavour.hpp"
#include "runtime/logic/served_library.hpp"
#include "runtime/neighbours.hpp"
#include "runtime/process.hpp"
#include "runtime/together.hpp"

#include <mpi.h>

#include <string>
#include <utility>

namespace espalier::runtime {

namespace {

/// Whether this library is for the MPI library that answers. Where it is not, all is left to that
/// one, and rank 0 says so.
bool is_served() {
    const std::string why = refusal_of_library(ESPALIER_MPI_NAME, measure::library_version());
    if (why.empty()) return true;
    Process::leave_all_to_mpi();
    const Settings settings = read_settings(environment).settings;
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (settings.on && rank == 0) Log(settings.log).warn(why);
    return false;
}

/// Whether a thread of ours is to call MPI beside the program's.
bool has_thread() {
    const Settings settings = read_settings(environment).settings;
    return settings.on && settings.progress == Settings::Progress::thread && !Flavour::paced;
}

/// Makes this process ready when MPI has just been initialised: all ranks of MPI_COMM_WORLD agree
/// on the network that their collectives are planned on, which may have to be measured first.
/// Collective over MPI_COMM_WORLD. Where anything goes wrong, it says so, and all is left to MPI.
void start(int code) noexcept {
    const double before = code == MPI_SUCCESS ? PMPI_Wtime() : 0;
    Process* process = nullptr;
    Start start;
    Common common;
    // Without memory this rank plans nothing, like all others.
    try {
        if (code == MPI_SUCCESS && !is_served()) return;
        process = Process::start(code);
        if (code != MPI_SUCCESS) return;
        // Who is switched off says so, lest the others wait.
        Log own_log(process == nullptr ? read_settings(environment).settings.log
                                       : Settings::Log::info);
        Log& log = process == nullptr ? own_log : process->log();
        const std::string problem = problem_of([&] { start = agree(process, log, common); });
        if (!problem.empty()) log.warn("MPI_Init: " + problem + "; collectives are left to MPI");
    } catch (...) {
        if (process == nullptr) Process::leave_all_to_mpi();
    }
    if (process != nullptr) process->begin(std::move(start), std::move(common), since(before));
}

}  // namespace

}  // namespace espalier::runtime

using espalier::runtime::native;
using espalier::runtime::Process;

extern "C" int MPI_Init(int* argc, char*** argv) {
    Process::await_start();
    int provided = 0;
    const int code = espalier::runtime::has_thread()
                         ? native<PMPI_Init_thread>(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                         : native<PMPI_Init>(argc, argv);
    espalier::runtime::start(code);
    return code;
}

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    Process::await_start();
    const int code = native<PMPI_Init_thread>(
        argc, argv, espalier::runtime::has_thread() ? MPI_THREAD_MULTIPLE : required, provided);
    espalier::runtime::start(code);
    return code;
}
