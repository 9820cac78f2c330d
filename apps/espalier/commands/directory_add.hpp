#pragma once

#include "core/units.hpp"
#include "outputs/result.hpp"

#include <string>
#include <vector>

namespace espalier::cli {

/// The options of `espalier directory add`. Empty: not given.
struct DirectoryAddOptions {
    std::string directory;
    std::vector<std::string> files;
    std::string from;
    std::string to;
    std::string latency;
    std::string bandwidth;
    std::string gap;
    std::string bytes;
    std::string meanwhile;
    std::string by;
    std::string at;
    std::string unit;
    std::string wait;
    ResultOptions result;
};

/// Reads all that is to be added before it touches the directory, and adds all of it or nothing.
void add_to_directory(const DirectoryAddOptions& options);

/// `--wait`: how long to wait for others that hold the directory.
[[nodiscard]] Seconds directory_wait(const std::string& text);

}  // namespace espalier::cli
