#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace espalier::apps {

/// What started the processes of this job: who this one is, and words that each leaves for the
/// others. Words have no blanks. No message between the processes is needed, so this works where
/// their network does not.
class Launcher {
public:
    Launcher() = default;
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;
    virtual ~Launcher() = default;

    [[nodiscard]] virtual std::size_t rank() const = 0;
    [[nodiscard]] virtual std::size_t ranks() const = 0;
    /// Leaves this process's word, and on rank 0 that for all. All processes call it once.
    virtual void leave(const std::string& own, const std::string& for_all) = 0;
    /// What rank 0 left for all; empty where it can't be had.
    [[nodiscard]] virtual std::string for_all() = 0;
    /// What a rank left as its own; empty where it can't be had.
    [[nodiscard]] virtual std::string word_of(std::size_t rank) = 0;
};

/// That of Hydra (MPICH), through which a process speaks by itself: MPI_Init of MPICH connects
/// hosts, and fails where they are at fault. nullptr elsewhere.
[[nodiscard]] std::unique_ptr<Launcher> hydra_launcher();
/// Any MPI's. MPI_Init of Open MPI connects nobody.
[[nodiscard]] std::unique_ptr<Launcher> mpi_launcher(int& argc, char**& argv);

}  // namespace espalier::apps
