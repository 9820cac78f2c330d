#pragma once

#include <string>

namespace espalier::measure {

/// What MPI_Get_library_version says, its first line.
[[nodiscard]] std::string library_version();
/// The library and its version number, which that begins with; what `measured` says as `mpi`.
[[nodiscard]] std::string library_name();
/// What MPI_Get_processor_name says.
[[nodiscard]] std::string processor_name();

}  // namespace espalier::measure
