#include "measure/library_name.hpp"

#include <mpi.h>

#include <algorithm>

namespace espalier::measure {

std::string library_name() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    PMPI_Get_library_version(text.data(), &length);
    text.resize(static_cast<std::size_t>(length));
    text = text.substr(0, text.find_first_of(",\n\0", 0, 3));
    std::replace(text.begin(), text.end(), '\t', ' ');
    return text;
}

}  // namespace espalier::measure
