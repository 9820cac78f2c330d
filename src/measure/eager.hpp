#pragma once

#include <cstdint>
#include <limits>

namespace espalier::measure {

/// The longest message that leaves before its receive is known to be there, with the MPI library
/// that this is built for, as long as nobody measured it; what is longer waits for answers.
#if defined(ESPALIER_MPI_SMPI)
inline constexpr std::uint64_t eager_bytes = std::numeric_limits<std::uint64_t>::max();
#elif defined(ESPALIER_MPI_MPICH)
/// UCX's eager threshold over TCP. A longer message takes two more round trips (rendezvous).
inline constexpr std::uint64_t eager_bytes = 16384;
#else
/// The eager threshold of Open MPI over TCP: 64 KiB with its header. A longer message takes one
/// more round trip (rendezvous).
inline constexpr std::uint64_t eager_bytes = (64 << 10) - 256;
#endif

inline constexpr bool messages_wait = eager_bytes < std::numeric_limits<std::uint64_t>::max();

}  // namespace espalier::measure
