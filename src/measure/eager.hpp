#pragma once

#include "network/eager.hpp"

namespace espalier::measure {

/// With the MPI library that this is built for.
inline constexpr std::uint64_t eager_bytes = network::usual_eager_bytes(ESPALIER_MPI_NAME);

inline constexpr bool messages_wait = eager_bytes < std::numeric_limits<std::uint64_t>::max();

}  // namespace espalier::measure
