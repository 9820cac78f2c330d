#pragma once

#include "runtime/logic/program.hpp"

#include <mpi.h>

#include <cstddef>

namespace espalier::runtime {

/// Where the buffers of a program lie during one call.
class Memory {
public:
    /// What MPI is told of a part. Nothing is to be moved where `count` is 0.
    struct Place {
        void* address = nullptr;
        int count = 0;
        MPI_Datatype type = MPI_BYTE;
    };

    virtual ~Memory() = default;
    /// Of a part that is not scratch. What is to be sent is not written to.
    [[nodiscard]] virtual Place find(const Program::Part& part) const = 0;
};

/// One message without holes: output, and the only block.
class MessageMemory final : public Memory {
public:
    explicit MessageMemory(std::byte* message) : message_(message) {}
    [[nodiscard]] Place find(const Program::Part& part) const override {
        return {message_ + part.offset, static_cast<int>(part.bytes), MPI_BYTE};
    }

private:
    std::byte* message_;
};

}  // namespace espalier::runtime
