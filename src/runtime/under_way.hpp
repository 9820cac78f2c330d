#pragma once

#include "core/units.hpp"

#include <mpi.h>

#include <memory>
#include <mutex>
#include <vector>

namespace espalier::runtime {

/// The nonblocking collectives of a process that are under way on communicators of the program, and
/// what MPI reads and writes meanwhile, which it keeps: MPI may destroy a communicator, with all
/// that hangs on it, while one is completed. Threads may share it.
class UnderWay {
public:
    /// `request` is in `memory`. Lets go of those that are completed and that nobody else keeps.
    void add(MPI_Comm comm, MPI_Request& request, std::shared_ptr<void> memory);
    void remove(const MPI_Request& request);
    /// Waits for those on `comm`, which is about to be freed: all of its ranks have begun them.
    void complete(MPI_Comm comm);
    /// Waits for all: MPI_Finalize waits for the other ranks, too. Those on a communicator that
    /// outlives failures have `time`: a rank that failed never begins, nor completes, its part.
    void complete_all(Seconds time);

private:
    struct Begun {
        MPI_Comm comm;
        MPI_Request* request;
        std::shared_ptr<void> memory;
    };
    template <typename Which>
    [[nodiscard]] std::vector<Begun> take(const Which& which);

    std::mutex mutex_;
    std::vector<Begun> all_;
};

}  // namespace espalier::runtime
