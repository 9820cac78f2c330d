#pragma once

#include "outputs/result.hpp"

#include <string>

namespace espalier::cli {

/// The options of `espalier directory show`. Empty: not given.
struct DirectoryShowOptions {
    std::string directory;
    std::string pair;
    std::string at;
    std::string wait;
    ResultOptions result;
};

/// Shows what is known of each pair, or all that was ever measured of one.
void show_directory(const DirectoryShowOptions& options);

}  // namespace espalier::cli
