#include "network/convert.hpp"

#include "commands/all.hpp"
#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_text.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "directory/open_source.hpp"
#include "inputs/importing.hpp"
#include "inputs/input.hpp"
#include "inputs/node_matrix.hpp"
#include "network/json.hpp"
#include "network/simgrid_xml.hpp"
#include "network/to_links.hpp"
#include "outputs/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace espalier::cli {

namespace {

using network::Network;

struct ConvertOptions {
    std::string input;
    std::string to;
    std::string bytes;
    std::string unit;
    SourceOptions source;
    std::string bandwidth;
    std::string bandwidth_unit;
    bool round_trips = false;
    bool caps = false;
    bool in_flight = false;
    std::string hostfile;
    ImportOptions import;
    ResultOptions result;
};

/// Converts step by step, from the detailed to the simple; to links, from what messages cost.
class Converter {
public:
    Converter(const Network& from, const ConvertOptions& options)
        : from_(from), options_(options) {}

    [[nodiscard]] Network::Model to(const std::string& model) const {
        if (model == from_.model_name()) return from_.model();
        if (model == "pairwise") return pairwise();
        if (model == "sender") return to_sender(pairwise(), bytes());
        if (model == "grid") {
            // With what routes share, which pairs don't tell.
            if (const auto* links = from_.links()) return to_grid(with_hosts(*links));
            return to_grid(pairwise());
        }
        if (model == "links") return links();
        throw InputError(
            "--to", "", fmt::format("'{}' is not sender, pairwise, grid, links or simgrid", model));
    }

private:
    [[nodiscard]] network::LinksNetwork links() const {
        network::LinksNetwork links;
        if (const auto* pairwise = from_.pairwise())
            links = to_links(*pairwise);
        else if (const auto* grid = from_.grid())
            links = to_links(*grid, bytes());
        else
            refuse("links");
        if (const std::string& time = options_.import.cycle_time; !time.empty())
            for (auto& node : links.nodes)
                if (!node.cycle_time) node.cycle_time = parse_cycle_time(time);
        return links;
    }

    [[nodiscard]] const network::LinksNetwork& with_hosts(
        const network::LinksNetwork& links) const {
        if (links.hosts().empty())
            throw InputError(options_.input, "nodes", "no host: no node has a cycle_time");
        return links;
    }

    [[nodiscard]] network::PairwiseNetwork pairwise() const {
        if (const auto* pairwise = from_.pairwise()) return *pairwise;
        if (const auto* links = from_.links()) return to_pairwise(with_hosts(*links));
        if (const auto* grid = from_.grid()) return to_pairwise(*grid, bytes());
        refuse(options_.to);
    }

    [[nodiscard]] Bytes bytes() const {
        if (options_.bytes.empty())
            throw InputError("--bytes", "",
                             fmt::format("needed: from {} to {} is for one message size",
                                         from_.model_name(), options_.to));
        return parse_bytes(options_.bytes, "--bytes");
    }

    [[noreturn]] void refuse(const std::string& model) const {
        throw InputError(options_.input, "model",
                         fmt::format("a {} network does not say enough to make a {} network",
                                     from_.model_name(), model));
    }

    const Network& from_;
    const ConvertOptions& options_;
};

/// Sets the bandwidths of pairs that a CSV states.
void add_bandwidths(network::PairwiseNetwork& network, const ConvertOptions& options) {
    const BytesPerSecond unit =
        parse_rate("1" + (options.bandwidth_unit.empty() ? "bps" : options.bandwidth_unit),
                   "--bandwidth-unit");
    const auto cells = read_node_matrix(options.bandwidth, network.nodes);
    for (std::size_t from = 0; from < network.size(); ++from)
        for (std::size_t to = 0; to < network.size(); ++to)
            if (const auto cell = cells(from, to); cell && from != to)
                network.bandwidth(from, to) = *cell * unit;
}

/// A node sends, and receives, no faster in all than it was seen to with one other.
void add_caps(network::PairwiseNetwork& network) {
    network.egress.assign(network.size(), BytesPerSecond(0));
    network.ingress.assign(network.size(), BytesPerSecond(0));
    for (std::size_t from = 0; from < network.size(); ++from)
        for (std::size_t to = 0; to < network.size(); ++to)
            if (const auto rate = network.bandwidth(from, to); rate && from != to) {
                network.egress[from] = std::max(network.egress[from], *rate);
                network.ingress[to] = std::max(network.ingress[to], *rate);
            }
}

Network::Model make_pairwise(const network::PairTable& latencies, network::TimeUnit unit,
                             const ConvertOptions& options) {
    network::PairwiseNetwork network = to_pairwise(latencies, unit);
    if (options.round_trips)
        for (std::size_t from = 0; from < network.size(); ++from)
            for (std::size_t to = 0; to < network.size(); ++to)
                if (auto& startup = network.startup(from, to)) startup = *startup / 2;
    if (!options.bandwidth.empty()) add_bandwidths(network, options);
    if (options.caps) add_caps(network);
    if (options.in_flight) return to_grid_in_flight(network);
    return network;
}

/// Throws InputError for an option that is for another sort of file.
void refuse_if(bool given, const std::string& option, const ConvertOptions& options,
               const char* sort) {
    if (given) throw InputError(option, "", fmt::format("{} is no {}", options.input, sort));
}

struct Source {
    Network network;
    bool imported = false;  ///< from a file of another program
};

Source read_as_network(const ConvertOptions& options) {
    const bool directory = directory::is_source(options.input);
    const std::string text = directory ? std::string() : read_file(options.input);
    const bool xml = is_xml(text);
    if (!xml) {
        refuse_if(!options.import.speed.empty(), "--speed", options, "GraphML");
        refuse_if(!options.import.latency.empty(), "--latency", options, "GraphML");
        refuse_if(!options.import.hosts.empty(), "--hosts", options, "SimGrid platform");
    }
    if (!directory) refuse_source_options(options.input, options.source);
    std::optional<Input> input;
    if (directory)
        input = read_input(options.input, options.unit, options.source);
    else if (!xml)
        input = parse_input(text, options.input, options.unit);
    if (input)
        if (const auto* table = std::get_if<network::PairTable>(&input->content))
            return {Network(make_pairwise(*table, input->unit, options), options.input)};
    const char* table = "CSV of latencies";
    refuse_if(options.round_trips, "--rtt", options, table);
    refuse_if(!options.bandwidth.empty(), "--bandwidth", options, table);
    refuse_if(options.in_flight, "--in-flight", options, table);
    if (input) return {std::get<Network>(std::move(input->content))};
    refuse_if(!options.unit.empty(), "--unit", options, table);
    return {import_xml(options.input, text, options.import), true};
}

/// A platform that SimGrid reads, and its hosts for smpirun.
void write_platform(const Network& from, const ConvertOptions& options) {
    const auto* links = from.links();
    if (links == nullptr)
        throw InputError(
            options.input, "model",
            fmt::format("SimGrid platforms are made of 'links', not of '{}'", from.model_name()));
    const std::string platform = to_simgrid_xml(*links);
    if (!options.hostfile.empty()) write_file(options.hostfile, to_hostfile(*links));
    deliver_file(options.result, platform,
                 fmt::format("{}: a SimGrid platform of {}\n", options.result.file,
                             counted(links->hosts().size(), "host")));
}

/// Routers are what nodes become whose cycle time nobody knows.
void warn_of_routers(const network::LinksNetwork& network) {
    const std::size_t routers = network.nodes.size() - network.hosts().size();
    if (routers > 0)
        warn(
            fmt::format("the cycle times of {} of {} nodes are not known, and they are routers: "
                        "--cycle-time or espalier measure --compute tells",
                        routers, network.nodes.size()));
}

void run_convert(const ConvertOptions& options) {
    require_writable(options.result);
    const bool to_simgrid = options.to == "simgrid";
    if (!to_simgrid && !options.hostfile.empty())
        throw InputError("--hostfile", "", "only beside --to simgrid");
    if (!options.hostfile.empty()) espalier::require_writable(options.hostfile);
    if (to_simgrid && options.result.json)
        throw InputError("--json", "", "a SimGrid platform is XML");
    if (options.bandwidth.empty() && !options.bandwidth_unit.empty())
        throw InputError("--bandwidth-unit", "", "there is no --bandwidth");
    for (const auto& [given, option] :
         {std::pair(options.caps, "--caps"), std::pair(options.in_flight, "--in-flight")})
        if (given && options.bandwidth.empty())
            throw InputError(option, "", "there is no --bandwidth");
    const auto [from, imported] = read_as_network(options);
    const bool to_links = from.links() == nullptr && options.to == "links";
    if (!options.import.cycle_time.empty() && !imported && !to_links)
        throw InputError("--cycle-time", "", "it is for GraphML, and for what becomes links");
    if (to_simgrid) {
        write_platform(from, options);
        return;
    }
    const Network result(Converter(from, options)
                             .to(options.to.empty() ? std::string(from.model_name()) : options.to),
                         from.measured(), options.input);
    if (to_links) warn_of_routers(*result.links());
    const std::size_t parts = result.links() ? result.links()->nodes.size() : size(result);
    deliver_file(options.result, to_text(to_json(result)),
                 fmt::format("{}: a {} network of {}\n", options.result.file, result.model_name(),
                             counted(parts, result.grid() ? "cluster" : "node")));
}

}  // namespace

Action add_convert(CLI::App& app) {
    auto options = std::make_shared<ConvertOptions>();
    app.add_option("FILE", options->input,
                   "a network (JSON), a latency matrix (CSV), GraphML or a directory")
        ->type_name("")
        ->required();
    app.add_option(
           "--to", options->to,
           "model of the result: sender, pairwise, grid or links; or simgrid, a platform (XML)")
        ->type_name("MODEL");
    app.add_option("--hostfile", options->hostfile,
                   "where the hosts' names go, one a line, beside a SimGrid platform")
        ->type_name("HOSTS.txt");
    app.add_option("--bytes", options->bytes,
                   "message size, where the result is for one size: from a grid, or to sender")
        ->type_name("SIZE");
    app.add_option("--unit", options->unit, "of a CSV's latencies: us (the default), ms or s")
        ->type_name("us|ms|s");
    app.add_flag("--rtt", options->round_trips,
                 "the CSV's cells are round trips; half of one is a latency");
    app.add_option("--bandwidth", options->bandwidth,
                   "bandwidths between the same nodes, beside a CSV of latencies")
        ->type_name("BANDWIDTH.csv");
    app.add_option(
           "--bandwidth-unit", options->bandwidth_unit,
           "of its cells: bps (bits; the default), kbps, Mbps, Gbps, or Bps (bytes), kBps, …")
        ->type_name("UNIT");
    app.add_flag("--caps", options->caps,
                 "a node sends, and receives, in all no more than the greatest of its bandwidths");
    app.add_flag("--in-flight", options->in_flight,
                 "latencies pass while neither end is busy, so that the result is a grid of single "
                 "nodes; without it they are start-ups, which keep both ends busy");
    add_import_options(app, options->import);
    add_source_options(app, options->source);
    add_file_option(app, options->result, "NET.json");
    add_json_option(app, options->result);
    return [options](const Passed&) { run_convert(*options); };
}

}  // namespace espalier::cli
