#include "network/generate.hpp"

#include "commands/all.hpp"
#include "commands/generate_options.hpp"
#include "core/error.hpp"
#include "core/json_text.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "inputs/input.hpp"
#include "network/generate_gusto.hpp"
#include "network/generate_sizes.hpp"
#include "network/generate_tiers.hpp"
#include "network/grid_view.hpp"
#include "network/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace espalier::cli {

namespace {

/// `1ms..15ms`, or one value for both ends.
template <typename Parse>
auto parse_range(const std::string& text, const std::string& where, Parse parse) {
    const std::size_t dots = text.find("..");
    return std::pair(parse(text.substr(0, dots), where),
                     parse(dots == std::string::npos ? text : text.substr(dots + 2), where));
}

network::SecondsRange parse_times(const std::string& text, const std::string& where) {
    const auto [low, high] = parse_range(text, where, parse_seconds);
    return {low, high};
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

void random_grid(const GenerateOptions& options) {
    network::RandomGridOptions wanted;
    wanted.clusters = parse_count(options.clusters, "--clusters", 1);
    wanted.nodes_per_cluster = parse_count(options.nodes, "--nodes", 1);
    wanted.latency = parse_times(options.latency, "--latency");
    wanted.gap = parse_times(options.gap, "--gap");
    wanted.broadcast = parse_times(options.broadcast, "--broadcast");
    wanted.symmetric = options.symmetric;
    Random random(parse_count(options.seed, "--seed"));
    const network::Network network(network::random_grid(wanted, random));
    deliver_file(options.result, to_text(to_json(network)),
                 fmt::format("{}: a grid of {}\n", options.result.file,
                             counted(wanted.clusters, "cluster")));
}

void expanded_table(const GenerateOptions& options) {
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

void random_senders(const GenerateOptions& options) {
    if (options.distinct && !options.classes.empty())
        throw InputError("--classes", "", "nodes that are all distinct have no classes");
    network::RandomSenderOptions wanted;
    wanted.nodes = parse_count(options.nodes, "--nodes", 1);
    wanted.classes = options.distinct ? 0
                                      : parse_count(options.classes.empty() ? "3" : options.classes,
                                                    "--classes", 1);
    const auto [least, most] = parse_range(options.times, "--times", parse_number);
    wanted.least = least;
    wanted.most = most;
    wanted.integer = options.integer;
    Random random(parse_count(options.seed, "--seed"));
    const network::Network network(network::random_senders(wanted, random));
    deliver_file(
        options.result, to_text(to_json(network)),
        fmt::format("{}: a network of {}\n", options.result.file, counted(wanted.nodes, "sender")));
}

network::Draw parse_draw(const std::string& text) {
    if (text == "uniform") return network::Draw::uniform;
    if (text == "log") return network::Draw::log;
    throw InputError("--draw", "", fmt::format("'{}' is neither uniform nor log", text));
}

void random_gusto(const GenerateOptions& options) {
    if (options.symmetric && options.asymmetric)
        throw InputError("--asymmetric", "", "--symmetric says the opposite");
    network::RandomGustoOptions wanted;
    wanted.nodes = parse_count(options.nodes, "--nodes", 1);
    wanted.startup = parse_times(options.startup, "--startup");
    const auto [slowest, fastest] = parse_range(options.bandwidth, "--bandwidth", parse_rate);
    wanted.bandwidth = {slowest, fastest};
    wanted.draw = parse_draw(options.draw);
    wanted.symmetric = !options.asymmetric;
    Random random(parse_count(options.seed, "--seed"));
    const network::Network network(network::random_gusto(wanted, random));
    deliver_file(
        options.result, to_text(to_json(network)),
        fmt::format("{}: a network of {}\n", options.result.file, counted(wanted.nodes, "node")));
}

network::SizePattern parse_pattern(const std::string& text) {
    using enum network::SizePattern;
    constexpr std::array<std::pair<std::string_view, network::SizePattern>, 5> patterns{
        {{"small", small},
         {"large", large},
         {"uniform", uniform},
         {"mixed", mixed},
         {"servers", servers}}};
    if (text.empty())
        throw InputError("--pattern", "", "needed: small, large, uniform, mixed or servers");
    for (const auto& [name, pattern] : patterns)
        if (text == name) return pattern;
    throw InputError("--pattern", "",
                     fmt::format("'{}' is not small, large, uniform, mixed or servers", text));
}

/// The names of those that exchange: the network's nodes; in a grid, the nodes of all clusters.
std::vector<std::string> names_of_nodes(const GenerateOptions& options) {
    const network::Network network = read_network(options.network, options.source);
    std::vector<std::string> names;
    if (const auto* grid = network.grid()) {
        const network::GridView view(*grid);
        for (std::size_t node = 0; node < view.nodes(); ++node)
            names.push_back(view.name_of(view.place_of(node)));
    } else {
        for (std::size_t node = 0; node < size(network); ++node)
            names.push_back(node_name(network, node));
    }
    return names;
}

void random_sizes(const GenerateOptions& options) {
    if (options.result.json)
        throw InputError("--json", "", "sizes are a CSV; without it, they are printed as one");
    network::PairTable table;
    network::RandomSizesOptions wanted;
    if (options.network.empty()) {
        wanted.nodes = parse_count(options.nodes, "--nodes", 1);
        for (std::size_t node = 0; node < wanted.nodes; ++node)
            table.names.push_back(fmt::format("n{}", node));
    } else {
        table.names = names_of_nodes(options);
        wanted.nodes = table.size();
    }
    wanted.pattern = parse_pattern(options.pattern);
    wanted.small = parse_bytes(options.small, "--small");
    wanted.large = parse_bytes(options.large, "--large");
    wanted.servers = parse_fraction(options.servers, "--servers");
    Random random(parse_count(options.seed, "--seed"));
    const Matrix<Bytes> sizes = network::random_sizes(wanted, random);
    table.cells = Matrix<std::optional<double>>(wanted.nodes, wanted.nodes);
    for (std::size_t from = 0; from < wanted.nodes; ++from)
        for (std::size_t to = 0; to < wanted.nodes; ++to)
            if (from != to) table.cells(from, to) = static_cast<double>(sizes(from, to).value);
    deliver_file(options.result, to_csv(table),
                 fmt::format("{}: sizes of the messages between {}\n", options.result.file,
                             counted(wanted.nodes, "node")));
}

void random_tiers(const GenerateOptions& options) {
    network::RandomTiersOptions wanted;
    wanted.hosts = parse_count(options.hosts, "--hosts", 1);
    wanted.routers = options.routers.empty() ? network::default_tiers_routers(wanted.hosts)
                                             : parse_count(options.routers, "--routers");
    wanted.links = options.links.empty()
                       ? network::default_tiers_links(wanted.hosts, wanted.routers)
                       : parse_count(options.links, "--links");
    if (!options.cycle_times.empty()) {
        const auto [least, most] = parse_range(options.cycle_times, "--cycle-times", parse_number);
        wanted.cycle_times = {least, most};
    }
    wanted.bandwidth_factor = parse_number(options.bandwidth_factor, "--bandwidth-factor");
    wanted.latencies = options.latencies;
    Random random(parse_count(options.seed, "--seed"));
    const network::Network network(network::random_tiers(wanted, random));
    deliver_file(options.result, to_text(to_json(network)),
                 fmt::format("{}: a platform of {}, {} and {}\n", options.result.file,
                             counted(wanted.hosts, "host"), counted(wanted.routers, "router"),
                             counted(wanted.links, "link")));
}

/// A kind of networks, or what else there is to make.
struct Kind {
    std::string_view name;
    void (*make)(const GenerateOptions& options);
    std::vector<std::string_view> options;  ///< beside --seed, -o and --json
};

void grid(const GenerateOptions& options) {
    options.expand.empty() ? random_grid(options) : expanded_table(options);
}

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> table{
        {"grid",
         grid,
         {"--clusters", "--nodes", "--latency", "--gap", "--broadcast", "--symmetric", "--expand",
          "--sizes", "--noise", "--unit"}},
        {"gusto",
         random_gusto,
         {"--nodes", "--startup", "--bandwidth", "--draw", "--symmetric", "--asymmetric"}},
        {"sender", random_senders, {"--nodes", "--classes", "--times", "--integer", "--distinct"}},
        {"sizes",
         random_sizes,
         {"--nodes", "--network", "--at", "--old", "--pattern", "--small", "--large", "--servers"}},
        {"tiers",
         random_tiers,
         {"--hosts", "--routers", "--links", "--cycle-times", "--bandwidth-factor", "--latencies"}},
    };
    return table;
}

/// Throws InputError for an option that another kind has, and this one has not.
void refuse_options_of_others(const CLI::App& app, const Kind& kind) {
    const auto has = [](const Kind& any, const std::string& option) {
        return std::ranges::find(any.options, option) != any.options.end();
    };
    for (const Kind& other : kinds())
        for (const std::string_view option : other.options) {
            const std::string name(option);
            if (app.get_option(name)->count() > 0 && !has(kind, name))
                throw InputError(
                    name, "", fmt::format("it is for generate {}, not {}", other.name, kind.name));
        }
}

void run_generate(const GenerateOptions& options, const CLI::App& app) {
    require_writable(options.result);
    const auto kind =
        std::ranges::find_if(kinds(), [&](const Kind& each) { return each.name == options.kind; });
    if (kind == kinds().end())
        throw InputError(
            options.kind, "",
            "nothing of this kind is made here; grid, gusto, sender, sizes and tiers are");
    refuse_options_of_others(app, *kind);
    kind->make(options);
}

}  // namespace

Action add_generate(CLI::App& app) {
    auto options = std::make_shared<GenerateOptions>();
    add_generate_options(app, *options);
    return [options, &app](const Passed&) { run_generate(*options, app); };
}

}  // namespace espalier::cli
