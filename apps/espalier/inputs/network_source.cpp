#include "inputs/network_source.hpp"

#include "outputs/result.hpp"

namespace espalier::cli {

void add_source_options(CLI::App& app, SourceOptions& options) {
    app.add_option("--at", options.at,
                   "of a directory: the network as it was at this time (UTC), so long ago, or now")
        ->type_name("TIME|-2h|now");
    app.add_option("--old", options.old,
                   "of a directory: the rule for old values, such as newest, newest:1h, "
                   "median:10min, p90:1d, expected (newest)")
        ->type_name("RULE");
}

network::Network read_network(const std::string& path_or_url, const SourceOptions& options) {
    return frontend::read_network(path_or_url, options, warn);
}

}  // namespace espalier::cli
