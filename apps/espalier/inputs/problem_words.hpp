#pragma once

#include "frontend/problem_options.hpp"
#include "inputs/network_source.hpp"

#include <CLI/App.hpp>

#include <string>

namespace espalier::cli {

/// The options that `plan` and `compare` share, as they were given. Empty: not given.
struct ProblemWords {
    frontend::ProblemOptions options;  ///< but for what stands in files
    std::string network;
    SourceOptions source;
    std::string sizes;
    std::string deadlines;
    std::string priorities;
    std::string refine;
};

void add_problem_options(CLI::App& app, ProblemWords& words);

/// The options with their files, which are read when they are needed.
[[nodiscard]] frontend::ProblemOptions options_of(const ProblemWords& words);

}  // namespace espalier::cli
