#include "runtime/logic/served_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace espalier::runtime {

namespace {

/// What begins the number of a version that is served.
struct Served {
    std::string_view flavour;
    std::string_view title;
    std::string_view before_number;
    std::string_view number;
};

constexpr std::array served{Served{"openmpi", "Open MPI 4.1 and 5", "Open MPI v", "4.1."},
                            Served{"openmpi", "Open MPI 4.1 and 5", "Open MPI v", "5."},
                            Served{"mpich", "MPICH 4", "MPICH Version:", "4."}};

bool is(std::string_view version, const Served& library) {
    if (!version.starts_with(library.before_number)) return false;
    version.remove_prefix(library.before_number.size());
    version.remove_prefix(std::min(version.find_first_not_of(" \t"), version.size()));
    return version.starts_with(library.number);
}

}  // namespace

std::string refusal_of_library(std::string_view flavour, std::string_view version) {
    std::string_view title;
    for (const Served& library : served) {
        if (library.flavour != flavour) continue;
        if (is(version, library)) return "";
        title = library.title;
    }
    if (title.empty()) return "";  // a simulator, with which programs are linked
    return fmt::format(
        "the MPI library is '{}', this library is for {}; collectives are left to MPI", version,
        title);
}

}  // namespace espalier::runtime
