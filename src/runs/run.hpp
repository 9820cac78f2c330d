#pragma once

#include "core/json.hpp"
#include "core/units.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace espalier::runs {

/// Calls of a program that were alike, and done by the same.
struct Call {
    std::string collective;
    std::uint64_t ranks = 1;  ///< of the communicator
    std::uint64_t root = 0;
    Bytes bytes;
    std::uint64_t calls = 0;           ///< 0: none yet, in what a running program is asked
    std::string algorithm;             ///< `native` for the MPI library's own
    std::string reason;                ///< why it was MPI's own; empty: it was planned
    std::string choice;                ///< what was weighed, in words; empty: nothing was
    std::optional<Seconds> predicted;  ///< until the last rank is done
    std::optional<Seconds> bound;      ///< that nothing beats, in the same model
    std::optional<Seconds> taken;  ///< until the last rank was done, where ranks told each other
    Seconds median;                ///< of rank 0's own time in a call; 0: not measured
    Seconds sum;                   ///< of the same, of all calls
    Seconds planning;              ///< all plans of such calls
    /// The time of a call until its last rank is done.
    struct Gain {
        Seconds planned;
        Seconds own;            ///< by MPI's own algorithm
        bool measured = false;  ///< both were timed; otherwise one at least is a prediction
    };
    std::optional<Gain> gain;  ///< of planned calls, where it is known
    bool exact = true;         ///< whether results depend on no order of operands, as far as said

    [[nodiscard]] bool is_native() const { return algorithm == "native"; }
    [[nodiscard]] Seconds saved() const {
        return gain ? (gain->own - gain->planned) * static_cast<double>(calls) : Seconds(0);
    }
};

/// What one rank saw of a program's collectives (`espalier-run`).
struct Run {
    std::string program;  ///< empty where the file does not say
    std::string mpi;
    std::uint64_t ranks = 1;
    std::string network_file;         ///< empty: in none, or not said
    std::string network_fingerprint;  ///< empty: no network
    std::string network_from;
    std::optional<Seconds> network_measured_in;
    std::vector<std::string> hosts;  ///< by rank; none where it is not said
    Seconds start;                   ///< in MPI_Init, beside MPI's own part
    std::optional<Seconds> elapsed;  ///< from there to MPI_Finalize
    std::string left_to_mpi;         ///< why all calls were, untimed; empty: they were not
    std::vector<Call> calls;         ///< those first in which rank 0 was longest
    std::map<std::string, std::uint64_t> passed;  ///< calls that were handed on to MPI, by name

    [[nodiscard]] Seconds in_collectives() const;
};

/// Throws InputError.
[[nodiscard]] Run read_run(const JsonValue& document);

}  // namespace espalier::runs
