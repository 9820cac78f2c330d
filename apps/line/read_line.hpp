#pragma once

#include "line/cli.hpp"

#include <functional>
#include <optional>
#include <string>

namespace espalier::line {

/// Reads the command line of a program of one command, whose options `declare` declares. Returns
/// its help where that is asked for. Throws InputError.
[[nodiscard]] std::optional<std::string> read_line(int argc, char** argv, const std::string& name,
                                                   const std::string& purpose,
                                                   const std::function<void(CLI::App&)>& declare);

}  // namespace espalier::line
