#include "measure/names.hpp"

#include <mpi.h>

#include <algorithm>

namespace espalier::measure {

std::string library_version() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    text.resize(static_cast<std::size_t>(length));
    return text.substr(0, text.find_first_of("\n\0", 0, 2));
}

std::string library_name() {
    std::string version = library_version();
    version.resize(std::min(version.find(','), version.size()));
    std::ranges::replace(version, '\t', ' ');
    return version;
}

std::string processor_name() {
    std::string name(MPI_MAX_PROCESSOR_NAME, '\0');
    int length = 0;
    PMPI_Get_processor_name(name.data(), &length);
    name.resize(static_cast<std::size_t>(length));
    return name;
}

}  // namespace espalier::measure
