#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

namespace espalier::network {

/// The eager threshold of Open MPI over TCP: 64 KiB with its header. A longer message takes one
/// more round trip (rendezvous).
inline constexpr std::uint64_t openmpi_eager_bytes = (64 << 10) - 256;
/// UCX's, under MPICH, over TCP. A longer message takes two more round trips.
inline constexpr std::uint64_t mpich_eager_bytes = 16384;

/// The longest message that leaves before its receive is known to be there, with that MPI library
/// (`openmpi`, `mpich`), as long as nobody measured it. With others all leave at once.
[[nodiscard]] constexpr std::uint64_t usual_eager_bytes(std::string_view mpi) {
    if (mpi == "openmpi") return openmpi_eager_bytes;
    if (mpi == "mpich") return mpich_eager_bytes;
    return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace espalier::network
