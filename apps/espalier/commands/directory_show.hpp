#pragma once

#include "outputs/result.hpp"

#include <string>

namespace espalier::cli {

/// What `espalier directory show` was asked for. Empty: not given.
struct DirectoryShowOptions {
    std::string directory;
    std::string pair;
    std::string at;
    std::string wait;
    ResultOptions result;
};

/// What is known of each pair, or all that was ever measured of one.
void show_directory(const DirectoryShowOptions& options);

}  // namespace espalier::cli
