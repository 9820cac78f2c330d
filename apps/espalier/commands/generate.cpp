#include "network/generate.hpp"

#include "all.hpp"
#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"
#include "input.hpp"
#include "network/json.hpp"
#include "result.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <memory>

namespace espalier::cli {

namespace {

struct Options {
    std::string kind;
    std::string clusters = "8";
    std::string nodes = "16";
    std::string classes;
    std::string times = "1..10";
    bool integer = false;
    bool distinct = false;
    std::string latency = "1ms..15ms";
    std::string gap = "100ms..600ms";
    std::string broadcast = "20ms..3s";
    bool symmetric = false;
    std::string seed = "1";
    std::string expand;
    std::string sizes;
    std::string noise = "0";
    std::string unit;
    ResultOptions result;
};

/// `1ms..15ms`, or one time for both ends.
network::SecondsRange parse_range(const std::string& text, const std::string& where) {
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) return {parse_seconds(text, where), parse_seconds(text, where)};
    return {parse_seconds(text.substr(0, dots), where),
            parse_seconds(text.substr(dots + 2), where)};
}

std::vector<std::size_t> parse_sizes(const std::string& text) {
    std::vector<std::size_t> sizes;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        sizes.push_back(parse_count(text.substr(begin, end - begin), "--sizes", 1));
        begin = end + 1;
    }
    return sizes;
}

void random_grid(const Options& options) {
    network::RandomGridOptions wanted;
    wanted.clusters = parse_count(options.clusters, "--clusters", 1);
    wanted.nodes_per_cluster = parse_count(options.nodes, "--nodes", 1);
    wanted.latency = parse_range(options.latency, "--latency");
    wanted.gap = parse_range(options.gap, "--gap");
    wanted.broadcast = parse_range(options.broadcast, "--broadcast");
    wanted.symmetric = options.symmetric;
    Random random(parse_count(options.seed, "--seed"));
    const network::Network network(network::random_grid(wanted, random));
    deliver_file(options.result, to_text(to_json(network)),
                 fmt::format("{}: a grid of {}\n", options.result.file,
                             counted(wanted.clusters, "cluster")));
}

void expanded_table(const Options& options) {
    if (options.sizes.empty())
        throw InputError("--sizes", "", "needed: how many machines each cluster has");
    const network::PairTable clusters = network::read_pair_table(options.expand);
    const network::PairTable machines = expand_latencies(clusters, parse_sizes(options.sizes),
                                                         parse_fraction(options.noise, "--noise"),
                                                         parse_count(options.seed, "--seed"));
    const auto unit =
        network::parse_time_unit(options.unit.empty() ? "us" : options.unit, "--unit");
    const bool as_network = options.result.json || options.result.file.ends_with(".json");
    deliver_file(options.result,
                 as_network ? to_text(to_json(network::Network(to_pairwise(machines, unit))))
                            : to_csv(machines),
                 fmt::format("{}: latencies between {}\n", options.result.file,
                             counted(machines.size(), "machine")));
}

void random_senders(const Options& options) {
    if (options.distinct && !options.classes.empty())
        throw InputError("--classes", "", "nodes that are all distinct have no classes");
    network::RandomSenderOptions wanted;
    wanted.nodes = parse_count(options.nodes, "--nodes", 1);
    wanted.classes = options.distinct ? 0
                                      : parse_count(options.classes.empty() ? "3" : options.classes,
                                                    "--classes", 1);
    const std::size_t dots = options.times.find("..");
    wanted.least = parse_number(options.times.substr(0, dots), "--times");
    wanted.most = dots == std::string::npos
                      ? wanted.least
                      : parse_number(options.times.substr(dots + 2), "--times");
    wanted.integer = options.integer;
    Random random(parse_count(options.seed, "--seed"));
    const network::Network network(network::random_senders(wanted, random));
    deliver_file(
        options.result, to_text(to_json(network)),
        fmt::format("{}: a network of {}\n", options.result.file, counted(wanted.nodes, "sender")));
}

void run(const Options& options) {
    require_writable(options.result);
    if (options.kind == "sender")
        random_senders(options);
    else if (options.kind != "grid")
        throw InputError(options.kind, "",
                         "no network of this kind is made here; grid and sender are");
    else if (options.expand.empty())
        random_grid(options);
    else
        expanded_table(options);
}

}  // namespace

Action add_generate(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("KIND", options->kind, "grid or sender")->type_name("")->required();
    app.add_option("--seed", options->seed, "one seed, one network")
        ->type_name("NUMBER")
        ->capture_default_str();
    const std::string random = "Random clusters";
    app.add_option("--clusters", options->clusters, "number of clusters")
        ->type_name("COUNT")
        ->capture_default_str()
        ->group(random);
    app.add_option("--nodes", options->nodes, "nodes in each cluster, or of all classes of senders")
        ->type_name("COUNT")
        ->capture_default_str()
        ->group(random);
    app.add_option("--latency", options->latency, "between clusters")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(random);
    app.add_option("--gap", options->gap, "between clusters, for a message of any size")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(random);
    app.add_option("--broadcast", options->broadcast, "the broadcast inside a cluster")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(random);
    app.add_flag("--symmetric", options->symmetric, "the same in both directions of a pair")
        ->group(random);
    const std::string senders = "Random senders";
    app.add_option("--classes", options->classes, "classes of like nodes (3)")
        ->type_name("COUNT")
        ->group(senders);
    app.add_option("--times", options->times, "to send one message")
        ->type_name("FROM..TO")
        ->capture_default_str()
        ->group(senders);
    app.add_flag("--integer", options->integer, "whole times")->group(senders);
    app.add_flag("--distinct", options->distinct, "every node has a time of its own")
        ->group(senders);
    const std::string expand = "Machines of given clusters";
    app.add_option("--expand", options->expand,
                   "a CSV of latencies between clusters, and inside them on the diagonal; makes "
                   "the table between their machines")
        ->type_name("CLUSTERS.csv")
        ->group(expand);
    app.add_option("--sizes", options->sizes, "machines of each cluster: 31,29,6")
        ->type_name("COUNTS")
        ->group(expand);
    app.add_option("--noise", options->noise, "scales each pair by up to this: 0.1 or 10%")
        ->type_name("NUMBER")
        ->capture_default_str()
        ->group(expand);
    app.add_option("--unit", options->unit, "of the CSV, for JSON output: us (the default), ms, s")
        ->type_name("us|ms|s")
        ->group(expand);
    add_file_option(app, options->result, "NET.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run(*options); };
}

}  // namespace espalier::cli
