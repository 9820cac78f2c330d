#pragma once

#include "frontend/network_source.hpp"

#include <CLI/App.hpp>

#include <string>

namespace espalier::cli {

using frontend::SourceOptions;

/// `--at` and `--old`, declared alike in every command that takes a network.
void add_source_options(CLI::App& app, SourceOptions& options);

/// A network file, or what a directory or a Prometheus server says of the network; of these, what
/// could not be used is told on standard error.
[[nodiscard]] network::Network read_network(const std::string& path_or_url,
                                            const SourceOptions& options);

}  // namespace espalier::cli
