#include "runtime/trials.hpp"

#include "runtime/communicator.hpp"

#include <fmt/format.h>

#include <array>

namespace espalier::runtime {

void settle(Trial& trial, const std::string& name, Seconds elapsed, double bytes, MPI_Comm own,
            const Communicator& communicator, Process& process) {
    if (!trial.add(elapsed, bytes)) return;
    const Trial::Round& round = trial.round();
    const std::array<double, 4> mine{round.seconds[0], round.seconds[1], round.bytes[0],
                                     round.bytes[1]};
    std::array<double, 4> greatest{};
    check(PMPI_Allreduce(mine.data(), greatest.data(), 4, MPI_DOUBLE, MPI_MAX, own));
    trial.agree({{greatest[0], greatest[1]}, {greatest[2], greatest[3]}});
    if (!trial.is_over() || !communicator.leads()) return;
    process.log().debug(
        fmt::format("{}: {}; {}", name, trial.finding(),
                    trial.next() == Trial::Way::planned ? "planned" : "left to MPI"));
}

}  // namespace espalier::runtime
