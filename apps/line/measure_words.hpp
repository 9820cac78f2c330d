#pragma once

#include "line/cli.hpp"

#include <string>

namespace espalier::line {

/// What is asked of the program that measures, as it stands on the command line.
struct MeasureWords {
    std::string output;
    std::string into;
    std::string by;
    std::string budget = "10s";
    std::string tolerance = "0.2";
    std::string kernel;
    bool symmetric = false;
    bool compute = false;
    bool json = false;
    bool table = false;
};

/// Declares the options; `words` has to outlive the parsing.
void add_measure_options(CLI::App& app, MeasureWords& words);

}  // namespace espalier::line
