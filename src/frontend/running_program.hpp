#pragma once

#include "network/network.hpp"
#include "runs/run.hpp"
#include "runs/running_program.hpp"

#include <string>
#include <vector>

namespace espalier::frontend {

// What the library under this process's MPI program knows of its run, and how it is steered. Each
// throws InputError, one line, where no such library is loaded, MPI is not there, or what is asked
// makes no sense. Communicators, operators and types are Fortran's handles (MPI_Comm_c2f).

/// What is known of a run: the text of a file of format `espalier-run`, and what it says.
struct KnownRun {
    std::string json;
    runs::Run run;
};

/// What this process saw so far, as its report would say it.
[[nodiscard]] KnownRun run_so_far();
/// The calls of a communicator of which something is known.
[[nodiscard]] KnownRun run_of(int communicator);

/// A call as the program would make it.
struct AskedCall {
    std::string collective;
    Bytes bytes;  ///< of an operand or block
    int root = 0;
    int op = 0;  ///< of a reduction
    int type = 0;
};
/// With one call: by what such ones are done, or would be.
[[nodiscard]] KnownRun ask(int communicator, const AskedCall& call);

/// The network that the program's collectives are planned on, as it was measured.
[[nodiscard]] network::Network network_in_use();

/// Gives a communicator settings of its own (`plan`, `algorithm`, `robust`) in place of those that
/// it had. Collective, also where they make no sense, lest other ranks wait.
void steer(int communicator, const std::vector<runs::RunningProgram::Setting>& settings);

}  // namespace espalier::frontend
