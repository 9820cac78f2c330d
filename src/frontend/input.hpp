#pragma once

#include "frontend/network_source.hpp"
#include "network/latency_csv.hpp"
#include "network/network.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace espalier::frontend {

/// The content of a file that may be a network (JSON) or a table of pairs (CSV), or what a
/// directory says of the network.
struct Input {
    std::variant<network::Network, network::PairTable> content;
    network::TimeUnit unit = network::TimeUnit::us;  ///< of a table's latencies
};

/// Tells them apart by what stands in the file. `unit` is what `--unit` said, or empty. Throws
/// InputError for a format that is none of them, and where an option does not apply.
[[nodiscard]] Input read_input(const std::string& path, const std::string& unit,
                               const SourceOptions& source, const Warn& warn);
/// Parses a file whose content is known.
[[nodiscard]] Input parse_input(const std::string& text, const std::string& path,
                                const std::string& unit);

/// Whether a file is a document (JSON) of this format, such as `espalier-ring`.
[[nodiscard]] bool has_format(const std::string& file, const std::string& format);

/// `0.2` or `20%`; throws InputError that names `where` unless it is finite and >= 0.
[[nodiscard]] double parse_fraction(std::string_view text, const std::string& where);

}  // namespace espalier::frontend
