#ifdef ESPALIER_MPI_SMPI

#include "core/environment.hpp"
#include "measure/names.hpp"
#include "runtime/agreeing.hpp"
#include "runtime/failure.hpp"
#include "runtime/host_name.hpp"
#include "runtime/logic/start.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

namespace espalier::runtime {

// A simulated job, in which no rank and no message gets lost, begins with the file that is given,
// or with nothing.
Start agree(Process* process, Log& log, Common& common) {
    if (process == nullptr) return {};  // all ranks have the same environment
    int rank = 0;
    int size = 1;
    check(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
    check(PMPI_Comm_size(MPI_COMM_WORLD, &size));
    if (rank == 0) process->complain();
    const HostName mine(process->host());
    std::vector<HostName> all(rank == 0 ? static_cast<std::size_t>(size) : 1);
    constexpr int length = sizeof(HostName);
    check(PMPI_Gather(&mine, length, MPI_BYTE, all.data(), length, MPI_BYTE, 0, MPI_COMM_WORLD));
    Settings settings = process->settings();
    settings.measure = Settings::Measure::off;
    Start start;
    if (rank == 0) {
        std::vector<RankFacts> ranks;
        for (const HostName& host : all) {
            ranks.push_back({host.text(), ""});
            common.hosts += host.text() + '\n';
        }
        start =
            Starter(settings, environment, {ESPALIER_MPI_NAME, measure::library_version()}, ranks)
                .decide();
        for (const std::string& line : start.warnings) log.warn(line);
    }
    std::array<std::uint64_t, 2> told{static_cast<std::uint64_t>(start.verdict),
                                      common.hosts.size()};
    check(PMPI_Bcast(told.data(), 2, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    start.verdict = static_cast<Verdict>(told[0]);
    if (start.verdict != Verdict::planned) return start;
    common.hosts.resize(told[1]);
    check(PMPI_Bcast(common.hosts.data(), static_cast<int>(told[1]), MPI_BYTE, 0, MPI_COMM_WORLD));
    check(PMPI_Comm_dup(MPI_COMM_WORLD, &common.own));
    check(PMPI_Comm_set_errhandler(common.own, MPI_ERRORS_RETURN));
    // One process simulates all ranks: who leads a communicator reads the file.
    start.origin = {NetworkOrigin::Source::file, settings.network, std::nullopt};
    return start;
}

}  // namespace espalier::runtime

#endif
