#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace espalier::measure {

/// The longest message that leaves before its receive is known to be there, with that MPI library
/// (`openmpi`, `mpich`) over TCP, as long as nobody measured it; what is longer waits for answers
/// (rendezvous): one more round trip of Open MPI's, two of UCX's under MPICH. With others, all
/// leave at once.
[[nodiscard]] constexpr std::uint64_t usual_eager_bytes(std::string_view mpi) {
    if (mpi == "openmpi") return (64 << 10) - 256;  // 64 KiB with the header
    if (mpi == "mpich") return 16384;
    return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace espalier::measure
