#pragma once

#include "network/network.hpp"

#include <CLI/App.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace espalier::cli {

/// Values for what the file of another program may leave open.
struct ImportOptions {
    std::string speed;
    std::string latency;
    std::string cycle_time;
    std::string hosts;
};

void add_import_options(CLI::App& app, ImportOptions& options);

/// Whether a file's text looks like XML.
[[nodiscard]] bool is_xml(std::string_view text);

/// The network of a foreign file, told by its root element: `graphml`, or
/// `platform` of SimGrid. Warns of what was taken or
/// left out, and keeps that in the network's `measured`. Throws InputError naming file and line.
[[nodiscard]] network::Network import_xml(const std::string& path, const std::string& text,
                                          const ImportOptions& options);

/// The cycle time of --cycle-time, per unit of work; nullopt for `none`. Throws InputError unless
/// it is positive.
[[nodiscard]] std::optional<double> parse_cycle_time(const std::string& text);

}  // namespace espalier::cli
