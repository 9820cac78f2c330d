#include "runtime/trials.hpp"

#include "runtime/communicator.hpp"

#include <fmt/format.h>

#include <vector>

namespace espalier::runtime {

void settle(Trial& trial, const std::string& name, Seconds elapsed, double bytes, MPI_Comm own,
            const Communicator& communicator, Process& process) {
    if (!trial.add(elapsed, bytes)) return;
    const auto mine = trial.samples();
    std::vector<double> greatest(mine.size());
    check(PMPI_Allreduce(mine.data(), greatest.data(), static_cast<int>(mine.size()), MPI_DOUBLE,
                         MPI_MAX, own));
    trial.agree(greatest);
    if (!communicator.leads()) return;
    process.log().debug(
        fmt::format("{}: {}; {}", name, trial.finding(),
                    trial.next() == Trial::Way::planned ? "planned" : "left to MPI"));
}

}  // namespace espalier::runtime
