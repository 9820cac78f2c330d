#pragma once

#include "runtime/device_memory.hpp"
#include "runtime/layout.hpp"
#include "runtime/operands.hpp"

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace espalier::runtime {

/// A call as its plan may see it: where the program's buffers are a GPU's memory, which only MPI
/// can move, a copy of them in host memory takes their place. Ranks need not agree on that: each
/// copy is a message of a process to itself.
class HostCopies {
public:
    /// Copies what the call could read. Throws MpiFailure.
    HostCopies(const Operands& call, DeviceMemory& devices, const Seat& seat);

    [[nodiscard]] const Operands& operands() const { return operands_; }
    /// Copies back what the call could write, once it is done. Throws MpiFailure.
    void finish() const;
    /// Leaves the copies to MPI for good: messages may still be sent from them.
    void abandon();

private:
    struct Copy {
        Side device;
        Side host;
        std::size_t blocks = 1;
        bool is_output = false;
        std::unique_ptr<std::byte[]> memory;
    };

    void replace(void*& base, const Side& side, std::size_t blocks, bool is_output);
    void move(const Side& from, const Side& to, std::size_t blocks) const;

    Operands operands_;
    DeviceMemory& devices_;
    const Seat& seat_;
    std::vector<Copy> copies_;
};

}  // namespace espalier::runtime
