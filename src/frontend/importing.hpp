#pragma once

#include "frontend/problem_options.hpp"
#include "network/network.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace espalier::frontend {

/// Values for what the file of another program may leave open.
struct ImportOptions {
    std::string speed;
    std::string latency;
    std::string cycle_time;
    std::string hosts;
};

/// Whether a file's text looks like XML.
[[nodiscard]] bool is_xml(std::string_view text);

/// The network of a foreign file, told by its root element: `graphml`, or
/// `platform` of SimGrid. Warns of what was taken or
/// left out, and keeps that in the network's `measured`. Throws InputError naming file and line.
[[nodiscard]] network::Network import_xml(const std::string& path, const std::string& text,
                                          const ImportOptions& options, const Warn& warn);

/// The cycle time of --cycle-time, per unit of work; nullopt for `none`. Throws InputError unless
/// it is positive.
[[nodiscard]] std::optional<double> parse_cycle_time(const std::string& text);

}  // namespace espalier::frontend
