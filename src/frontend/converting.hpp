#pragma once

#include "frontend/importing.hpp"
#include "frontend/network_source.hpp"
#include "frontend/problem_options.hpp"
#include "network/network.hpp"

#include <string>

namespace espalier::frontend {

/// What a network is to become, and what its file does not say, each the option of that name of
/// `espalier convert`. Empty: not given.
struct ConvertOptions {
    std::string to;
    std::string bytes;
    std::string unit;
    SourceOptions source;
    PairNumbers bandwidth;
    std::string bandwidth_unit;
    bool round_trips = false;  ///< --rtt
    bool caps = false;
    bool in_flight = false;
    ImportOptions import;
};

/// A network, and where it is from.
struct Converted {
    network::Network network;
    bool imported = false;  ///< from a file of another program
};

/// Reads a network (JSON), a table of latencies (CSV), a GraphML file, a SimGrid platform (XML) or
/// a directory. Throws InputError naming the file or the option.
[[nodiscard]] Converted read_any(const std::string& input, const ConvertOptions& options,
                                 const Warn& warn);

/// Throws InputError where the options state a cycle time that nothing needs.
void refuse_cycle_time(const Converted& from, const ConvertOptions& options);

/// The network in another model, or in its own where none is asked for; step by step from the
/// detailed to the simple, and to links from what messages cost. `input` is what errors name.
/// Throws InputError where the network says too little.
[[nodiscard]] network::Network convert(const Converted& from, const std::string& input,
                                       const ConvertOptions& options, const Warn& warn);

}  // namespace espalier::frontend
