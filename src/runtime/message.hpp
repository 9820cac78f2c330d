#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace espalier::runtime {

/// Bytes of `count` elements of `type`; nullopt where there is no such number, or none that an int
/// can hold: then the call is MPI's own.
[[nodiscard]] std::optional<std::uint64_t> message_bytes(int count, MPI_Datatype type);

/// Whether elements lie one after the other, in the order in which MPI counts them. An extent that
/// equals the size is not enough: a type may name its parts in any order. So only predefined types
/// and rows of them count. Throws MpiFailure.
[[nodiscard]] bool is_plain(MPI_Datatype type);

/// A program's message as one run of bytes: the program's own memory where its type has no holes
/// and no order of its own, else a packed copy.
class Message {
public:
    Message(void* buffer, int count, MPI_Datatype type, std::uint64_t bytes, MPI_Comm comm);

    /// Brings the program's elements in (at the root), and the bytes back out (elsewhere). Throw
    /// MpiFailure.
    void pack();
    void unpack();
    [[nodiscard]] std::byte* data();

private:
    void* buffer_;
    int count_;
    MPI_Datatype type_;
    std::uint64_t bytes_;
    MPI_Comm comm_;
    bool in_place_;
    std::vector<std::byte> packed_;
};

}  // namespace espalier::runtime
