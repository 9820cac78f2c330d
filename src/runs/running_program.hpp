#pragma once

#include <cstddef>
#include <cstdint>

namespace espalier::runs {

/// What whoever is loaded into a process beside the library under its MPI program may ask that
/// library. In terms of C alone, since the two need not have been built together. Each function
/// returns an exit status (core/error.hpp), and sets `text` to what is to be freed by std::free():
/// the answer, or in one line what was wrong; nullptr where there is no memory. Communicators,
/// operators and types are Fortran's handles (MPI_Comm_c2f), which are an int with every MPI.
struct RunningProgram {
    /// A call as the program would make it.
    struct Call {
        const char* collective;  ///< as reports name it: `allgatherv`
        std::uint64_t bytes;     ///< of an operand or block
        int root;
        int op;    ///< of a reduction; not looked at otherwise
        int type;  ///< likewise
    };
    struct Setting {
        const char* name;
        const char* value;
    };

    /// What this process saw so far (`espalier-run`).
    int (*so_far)(char** text);
    /// The network that is planned on (`espalier-network`).
    int (*network)(char** text);
    /// The calls of a communicator of which something is known (`espalier-run`).
    int (*communicator)(int communicator, char** text);
    /// By what such a call was done last, or would be (`espalier-run` with that one call).
    int (*call)(int communicator, const Call* call, char** text);
    /// Gives a communicator settings of its own, in place of those that it had. Collective.
    int (*steer)(int communicator, const Setting* settings, std::size_t count, char** text);
};

/// The function that gives it out; a number for each version of the above.
inline constexpr const char* running_program = "espalier_running_program_1";

}  // namespace espalier::runs

extern "C" const espalier::runs::RunningProgram* espalier_running_program_1();
