#pragma once

#include "frontend/generating.hpp"
#include "inputs/network_source.hpp"
#include "outputs/result.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace espalier::cli {

/// The options of `generate`, as they were given.
struct GenerateWords {
    std::string kind;
    frontend::GenerateOptions options;
    std::string network;
    SourceOptions source;
    std::string expand;
    ResultOptions result;
};

/// Adds the options of all kinds; the maker of a kind checks which of them apply.
void add_generate_options(CLI::App& app, GenerateWords& words);

}  // namespace espalier::cli
