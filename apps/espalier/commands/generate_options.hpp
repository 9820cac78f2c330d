#pragma once

#include "inputs/network_source.hpp"
#include "outputs/result.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace espalier::cli {

/// The options of `generate`, as they were given.
struct GenerateOptions {
    std::string kind;
    std::string clusters = "8";
    std::string nodes = "16";
    std::string classes;
    std::string times = "1..10";
    bool integer = false;
    bool distinct = false;
    std::string latency = "1ms..15ms";
    std::string gap = "100ms..600ms";
    std::string broadcast = "20ms..3s";
    bool symmetric = false;
    bool asymmetric = false;
    std::string startup = "4.5ms..89.5ms";
    std::string bandwidth = "246kbps..4976kbps";
    std::string draw = "uniform";
    std::string pattern;
    std::string small = "1kB";
    std::string large = "1MB";
    std::string servers = "20%";
    std::string network;
    SourceOptions source;
    std::string hosts = "37";
    std::string routers;
    std::string links;
    std::string cycle_times;
    std::string bandwidth_factor = "1";
    bool latencies = false;
    std::string seed = "1";
    std::string expand;
    std::string sizes;
    std::string noise = "0";
    std::string unit;
    ResultOptions result;
};

/// Adds the options of all kinds; the maker of a kind checks which of them apply.
void add_generate_options(CLI::App& app, GenerateOptions& options);

}  // namespace espalier::cli
