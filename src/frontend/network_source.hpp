#pragma once

#include "directory/assemble.hpp"
#include "frontend/problem_options.hpp"
#include "network/network.hpp"

#include <string>

namespace espalier::frontend {

/// When, and by what rule for old values, where a program takes its network from a directory.
/// Empty: not given.
struct SourceOptions {
    std::string at;
    std::string old;
};

/// `--at` of the options; now where it is not given.
[[nodiscard]] directory::Time time_of(const SourceOptions& options);
/// `--old` of the options; the newest where it is not given.
[[nodiscard]] directory::Rule rule_of(const SourceOptions& options);

/// A network file (JSON), or what a directory or a Prometheus server says of the network; of these,
/// what could not be used is told in warnings. Throws InputError, also where the options are given
/// for a file.
[[nodiscard]] network::Network read_network(const std::string& path_or_url,
                                            const SourceOptions& options, const Warn& warn);

/// The network that a directory or a server describes.
[[nodiscard]] network::Network read_source(const std::string& path_or_url, directory::Time at,
                                           const directory::AssembleOptions& options,
                                           const Warn& warn);
/// Throws InputError where options are given that concern no file.
void refuse_source_options(const std::string& path, const SourceOptions& options);

}  // namespace espalier::frontend
