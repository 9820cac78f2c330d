#pragma once

#include "core/limits.hpp"
#include "inputs/network_source.hpp"

#include <CLI/App.hpp>

#include <string>
#include <vector>

namespace espalier::cli {

/// The options that `plan` and `compare` share, as they were given. Empty: not given.
struct ProblemOptions {
    std::string collective;
    std::string network;
    SourceOptions source;
    std::string root;
    std::string bytes;
    std::string sizes;
    std::string critical;
    std::string deadlines;
    std::string priorities;
    bool relays = false;
    std::string reception;
    std::string refine;
    std::string segment;
    std::string local;
    std::string ports;
    std::string time_limit;
    std::string robust;
    std::vector<std::string> without;
    bool ranks = false;  ///< between ranks, in place of clusters
};

void add_problem_options(CLI::App& app, ProblemOptions& options);
[[nodiscard]] Limits limits_of(const ProblemOptions& options);

}  // namespace espalier::cli
