#include "runtime/trials.hpp"

#include "runtime/failure.hpp"

#include <array>

namespace espalier::runtime {

bool settle(Trial& trial, Seconds elapsed, double bytes, MPI_Comm own) {
    if (!trial.add(elapsed, bytes)) return false;
    const Trial::Round& round = trial.round();
    const std::array<double, 4> mine{round.seconds[0], round.seconds[1], round.bytes[0],
                                     round.bytes[1]};
    std::array<double, 4> greatest{};
    check(PMPI_Allreduce(mine.data(), greatest.data(), 4, MPI_DOUBLE, MPI_MAX, own));
    trial.agree({{greatest[0], greatest[1]}, {greatest[2], greatest[3]}});
    return trial.is_over();
}

}  // namespace espalier::runtime
