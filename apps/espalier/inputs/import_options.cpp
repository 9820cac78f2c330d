#include "inputs/import_options.hpp"

#include <string>

namespace espalier::cli {

void add_import_options(CLI::App& app, frontend::ImportOptions& options) {
    const std::string group = "What a file does not say";
    app.add_option("--speed", options.speed, "GraphML: of links that state none (10Gbps)")
        ->type_name("RATE")
        ->group(group);
    app.add_option("--latency", options.latency,
                   "GraphML: of links with an end that has no coordinates (1ms)")
        ->type_name("TIME")
        ->group(group);
    app.add_option("--cycle-time", options.cycle_time,
                   "GraphML: of the hosts, for a unit of work (1), or none for routers alone; to "
                   "links: of the nodes whose cycle time is not known")
        ->type_name("NUMBER|none")
        ->group(group);
    app.add_option("--hosts", options.hosts,
                   "SimGrid: keep hosts with such names alone, * and ? standing for anything")
        ->type_name("PATTERN,...")
        ->group(group);
}

}  // namespace espalier::cli
