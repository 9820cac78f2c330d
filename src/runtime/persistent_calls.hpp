#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace espalier::runtime {

class PersistentCall;

/// The persistent collectives of a process by their requests. Threads may share it.
class PersistentCalls {
public:
    void add(std::shared_ptr<PersistentCall> call);
    /// nullptr where the request is another one.
    [[nodiscard]] std::shared_ptr<PersistentCall> find(MPI_Request request);
    void remove(MPI_Request request);
    [[nodiscard]] bool has_any() const { return count_.load(std::memory_order_relaxed) != 0; }
    /// `comm` is about to be freed; its requests stay.
    void outlive(MPI_Comm comm);

private:
    std::atomic<std::size_t> count_ = 0;
    std::mutex mutex_;
    std::map<MPI_Request, std::shared_ptr<PersistentCall>> all_;
};

}  // namespace espalier::runtime
