#include "commands/generate_options.hpp"

namespace espalier::cli {

namespace {

void add_grid_options(CLI::App& app, GenerateWords& words) {
    const std::string group = "Random clusters";
    app.add_option("--clusters", words.options.clusters, "number of clusters")
        ->type_name("COUNT")
        ->capture_default_str()
        ->group(group);
    app.add_option("--nodes", words.options.nodes,
                   "nodes in each cluster, or in all (gusto, sender, sizes)")
        ->type_name("COUNT")
        ->capture_default_str()
        ->group(group);
    app.add_option("--latency", words.options.latency, "between clusters")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(group);
    app.add_option("--gap", words.options.gap, "between clusters, for a message of any size")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(group);
    app.add_option("--broadcast", words.options.broadcast, "the broadcast inside a cluster")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(group);
    app.add_flag("--symmetric", words.options.symmetric, "the same in both directions of a pair")
        ->group(group);
}

void add_gusto_options(CLI::App& app, GenerateWords& words) {
    const std::string group = "Random pairs, as between the sites of GUSTO";
    app.add_option("--startup", words.options.startup, "of each pair")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(group);
    app.add_option("--bandwidth", words.options.bandwidth, "of each pair")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(group);
    app.add_option("--draw", words.options.draw, "evenly from the ranges, or from their logarithms")
        ->type_name("uniform|log")
        ->capture_default_str()
        ->group(group);
    app.add_flag("--asymmetric", words.options.asymmetric, "each direction of a pair has its own")
        ->group(group);
}

void add_sizes_options(CLI::App& app, GenerateWords& words) {
    const std::string group = "Sizes of the messages of an exchange";
    app.add_option("--pattern", words.options.pattern,
                   "mixed: small or large at even odds; servers: large from servers to the others; "
                   "uniform: drawn evenly from small to large; small; large")
        ->type_name("NAME")
        ->group(group);
    app.add_option("--small", words.options.small, "a small message")
        ->type_name("SIZE")
        ->capture_default_str()
        ->group(group);
    app.add_option("--large", words.options.large, "a large message")
        ->type_name("SIZE")
        ->capture_default_str()
        ->group(group);
    app.add_option("--servers", words.options.servers, "what part of the nodes serves: 0.2 or 20%")
        ->type_name("NUMBER")
        ->capture_default_str()
        ->group(group);
    app.add_option("--network", words.network, "between its nodes, in place of n0, n1, …")
        ->type_name("NET.json")
        ->excludes("--nodes")
        ->group(group);
}

void add_sender_options(CLI::App& app, GenerateWords& words) {
    const std::string group = "Random senders";
    app.add_option("--classes", words.options.classes, "classes of like nodes (3)")
        ->type_name("COUNT")
        ->group(group);
    app.add_option("--times", words.options.times, "to send one message")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(group);
    app.add_flag("--integer", words.options.integer, "whole times")->group(group);
    app.add_flag("--distinct", words.options.distinct, "every node has a time of its own")
        ->group(group);
}

void add_tiers_options(CLI::App& app, GenerateWords& words) {
    const std::string group = "Platforms of local, metropolitan and wide area networks";
    app.add_option("--hosts", words.options.hosts, "nodes that compute")
        ->type_name("COUNT")
        ->capture_default_str()
        ->group(group);
    app.add_option("--routers", words.options.routers, "nodes that do not (1.27 for each host)")
        ->type_name("COUNT")
        ->group(group);
    app.add_option("--links", words.options.links,
                   "one less than nodes makes a tree (1.08 for each node)")
        ->type_name("COUNT")
        ->group(group);
    app.add_option("--cycle-times", words.options.cycle_times,
                   "of the hosts, drawn by their logarithms (a list of machines, from 1 to 10)")
        ->type_name("FROM..TO")
        ->group(group);
    app.add_option("--bandwidth-factor", words.options.bandwidth_factor,
                   "of all bandwidths, else in Mbit/s: 125000 makes bytes/s")
        ->type_name("NUMBER")
        ->capture_default_str()
        ->group(group);
    app.add_flag("--latencies", words.options.latencies, "of the links, in seconds; else 0")
        ->group(group);
}

void add_expansion_options(CLI::App& app, GenerateWords& words) {
    const std::string group = "Machines of given clusters";
    app.add_option("--expand", words.expand,
                   "a CSV of latencies between clusters, and inside them on the diagonal; makes "
                   "the table between their machines")
        ->type_name("CLUSTERS.csv")
        ->group(group);
    app.add_option("--sizes", words.options.sizes, "machines of each cluster: 31,29,6")
        ->type_name("COUNTS")
        ->group(group);
    app.add_option("--noise", words.options.noise, "scales each pair by up to this: 0.1 or 10%")
        ->type_name("NUMBER")
        ->capture_default_str()
        ->group(group);
    app.add_option("--unit", words.options.unit,
                   "of the CSV, for JSON output: us (the default), ms, s")
        ->type_name("us|ms|s")
        ->group(group);
}

}  // namespace

void add_generate_options(CLI::App& app, GenerateWords& words) {
    app.add_option("KIND", words.kind, "grid, gusto, sender, sizes or tiers")
        ->type_name("grid|gusto|sender|sizes|tiers")
        ->required();
    app.add_option("--seed", words.options.seed, "one seed, one result")
        ->type_name("NUMBER")
        ->capture_default_str();
    add_grid_options(app, words);
    add_gusto_options(app, words);
    add_sizes_options(app, words);
    add_sender_options(app, words);
    add_tiers_options(app, words);
    add_expansion_options(app, words);
    add_source_options(app, words.source);
    add_file_option(app, words.result, "NET.json");
    add_json_option(app, words.result);
}

}  // namespace espalier::cli
