#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>

namespace espalier::torch {

/// Throws std::runtime_error, which Python gets as RuntimeError, with this line.
[[noreturn]] void refuse(const std::string& why);

/// Throws the same, one line in MPI's words, if a call did not succeed.
void check(int code);

/// Initialises MPI unless somebody has, and asks for MPI_THREAD_MULTIPLE: groups work side by side.
/// Throws where MPI is over, or allows less.
void begin_mpi();
/// Finalises MPI if begin_mpi() initialised it. Collective over MPI_COMM_WORLD.
void end_mpi();

[[nodiscard]] int world_rank();
[[nodiscard]] int world_size();

/// Owns a communicator, whose errors are returned.
class Communicator {
public:
    Communicator() = default;
    /// Takes over `handle`.
    explicit Communicator(MPI_Comm handle);
    ~Communicator();
    Communicator(Communicator&& other) noexcept;
    Communicator& operator=(Communicator&&) = delete;

    /// Collective.
    [[nodiscard]] Communicator duplicate() const;
    [[nodiscard]] MPI_Comm get() const { return handle_; }
    /// Never frees it: a thread may be stuck in a call on it.
    void leak() { handle_ = MPI_COMM_NULL; }

private:
    MPI_Comm handle_ = MPI_COMM_NULL;
};

/// A count as MPI takes it. Throws where it is more than an int holds.
[[nodiscard]] int count_of(std::int64_t elements);

}  // namespace espalier::torch
