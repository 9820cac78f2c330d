#pragma once

#include <string>

namespace espalier::measure {

/// The MPI library and its version, as it calls itself, in one line; what `measured` says as `mpi`.
[[nodiscard]] std::string library_name();

}  // namespace espalier::measure
