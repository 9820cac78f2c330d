#pragma once

#include "line/cli.hpp"

#include <string>

namespace espalier::line {

/// What is asked of the program that looks for faults, as it stands on the command line.
struct DoctorWords {
    std::string output;
    bool json = false;
};

/// Declares the options; `words` has to outlive the parsing.
void add_doctor_options(CLI::App& app, DoctorWords& words);

}  // namespace espalier::line
