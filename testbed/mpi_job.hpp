#pragma once

#include "testbed/state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace espalier::testbed {

/// `mpirun openmpi|mpich [-n N] [--hosts A,B,…] [--ranks-per-host K] [--shuffled SEED]
/// [--name NAME] [--eager] [options] -- PROGRAM ...`
struct MpiJob {
    enum class Flavour { openmpi, mpich };
    Flavour flavour = Flavour::openmpi;
    std::optional<std::size_t> ranks;  ///< else as many as hosts hold
    std::vector<std::string> hosts;    ///< in the ranks' order; none: all, in theirs
    std::size_t ranks_per_host = 1;    ///< with consecutive numbers
    std::optional<std::uint64_t> shuffled;
    std::optional<std::string> name;
    bool eager = false;                ///< polls stay as they are
    std::vector<std::string> options;  ///< for that mpirun
    std::vector<std::string> program;
};

/// The job that the words after `mpirun` describe. Throws InputError naming the option.
[[nodiscard]] MpiJob parse_mpi_job(const std::vector<std::string>& words,
                                   const std::vector<std::string>& program);

/// The first hosts, as many as the ranks need, in their order or shuffled. Throws InputError where
/// there are too few, or no such one.
[[nodiscard]] std::vector<std::string> hosts_of_job(const MpiJob& job,
                                                    const std::vector<HostEntry>& hosts);

/// Runs the job, whose mpirun is on the host of rank 0; its exit status. Throws as run_on_host
/// does.
[[nodiscard]] int run_mpi_job(const MpiJob& job);

}  // namespace espalier::testbed
