#pragma once

#include <string>
#include <string_view>

namespace espalier::runtime {

/// Why what is built for `flavour` leaves all to the MPI library that answers, in one line; empty
/// where it was tried with that one. MPI_Get_library_version calls it `version`: others have files
/// of the same name.
[[nodiscard]] std::string refusal_of_library(std::string_view flavour, std::string_view version);

}  // namespace espalier::runtime
