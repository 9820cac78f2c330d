#pragma once

#include <atomic>
#include <mutex>

namespace espalier::runtime {

/// The kinds of GPU memory that this process may have, which only MPI can move. It asks those GPU
/// run times (CUDA's driver, HIP, Level Zero) that the program has loaded, and loads none. Threads
/// may share it.
class DeviceMemory {
public:
    /// Whether a run time is loaded now.
    [[nodiscard]] bool is_possible();
    /// Whether `address` may be a GPU's. Without a run time, a look at how many libraries were
    /// loaded: tens of nanoseconds.
    [[nodiscard]] bool holds(const void* address);

private:
    using CudaAsk = int (*)(void* data, int attribute, unsigned long long address);
    using HipAsk = int (*)(void* attributes, const void* address);

    void look();

    std::mutex looking_;
    std::atomic<unsigned long long> looked_at_ = 0;  ///< libraries loaded until then
    std::atomic<CudaAsk> cuda_ = nullptr;
    std::atomic<HipAsk> hip_ = nullptr;
    /// Whether Level Zero is loaded. It can be asked only in a context, which only the program has,
    /// so that all memory may then be a GPU's.
    std::atomic<bool> level_zero_ = false;
};

}  // namespace espalier::runtime
