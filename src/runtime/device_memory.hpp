#pragma once

#include <atomic>
#include <mutex>

namespace espalier::runtime {

/// The kinds of GPU memory that this process may have, which only MPI can move. It asks those GPU
/// run times (CUDA's driver, HIP, Level Zero) that the program has loaded, and loads none. Threads
/// may share it.
class DeviceMemory {
public:
    /// Whether the program may use a GPU by now. A run time alone does not say so: MPI's own
    /// libraries load them to look for GPUs.
    [[nodiscard]] bool is_in_use();
    /// Whether a run time is loaded by now: a look at how many libraries are, tens of nanoseconds.
    [[nodiscard]] bool has_run_time();
    /// Whether `address` may be a GPU's.
    [[nodiscard]] bool holds(const void* address);

private:
    using CudaAsk = int (*)(void* data, int attribute, unsigned long long address);
    using CudaCurrent = int (*)(void** context);
    using CudaCount = int (*)(int* devices);
    using CudaState = int (*)(int device, unsigned* flags, int* active);
    using HipAsk = int (*)(void* attributes, const void* address);
    using LevelZeroCount = int (*)(unsigned* count, void* drivers);

    void look();
    /// Whether CUDA's driver has a context, without which it has no memory.
    [[nodiscard]] bool has_cuda_context() const;
    /// Whether Level Zero has a driver. It can be asked about memory only in a context, which only
    /// the program has, so that all may be a GPU's.
    [[nodiscard]] bool has_level_zero() const;

    std::mutex looking_;
    std::atomic<unsigned long long> looked_at_ = 0;  ///< libraries loaded until then
    std::atomic<CudaAsk> cuda_ = nullptr;
    std::atomic<CudaCurrent> cuda_current_ = nullptr;
    std::atomic<CudaCount> cuda_count_ = nullptr;
    std::atomic<CudaState> cuda_state_ = nullptr;
    std::atomic<HipAsk> hip_ = nullptr;
    std::atomic<LevelZeroCount> level_zero_ = nullptr;
};

}  // namespace espalier::runtime
