#include "frontend/converting.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/text.hpp"
#include "directory/open_source.hpp"
#include "frontend/input.hpp"
#include "network/convert.hpp"
#include "network/to_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace espalier::frontend {

namespace {

using network::Network;

/// Converts step by step, from the detailed to the simple; to links, from what messages cost.
class Converter {
public:
    Converter(const Network& from, std::string input, const ConvertOptions& options)
        : from_(from), input_(std::move(input)), options_(options) {}

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
            throw InputError(input_, "nodes", "no host: no node has a cycle_time");
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
        throw InputError(input_, "model",
                         fmt::format("a {} network does not say enough to make a {} network",
                                     from_.model_name(), model));
    }

    const Network& from_;
    std::string input_;
    const ConvertOptions& options_;
};

/// Sets the bandwidths of pairs that a CSV states.
void add_bandwidths(network::PairwiseNetwork& network, const ConvertOptions& options) {
    const BytesPerSecond unit =
        parse_rate("1" + (options.bandwidth_unit.empty() ? "bps" : options.bandwidth_unit),
                   "--bandwidth-unit");
    const auto cells = options.bandwidth.read(network.nodes);
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
void refuse_if(bool given, const std::string& option, const std::string& input, const char* sort) {
    if (given) throw InputError(option, "", fmt::format("{} is no {}", input, sort));
}

/// Throws InputError for an option that another one needs.
void require_bandwidth(const ConvertOptions& options) {
    if (!options.bandwidth.empty()) return;
    if (!options.bandwidth_unit.empty())
        throw InputError("--bandwidth-unit", "", "there is no --bandwidth");
    for (const auto& [given, option] :
         {std::pair(options.caps, "--caps"), std::pair(options.in_flight, "--in-flight")})
        if (given) throw InputError(option, "", "there is no --bandwidth");
}

/// Routers are what nodes become whose cycle time nobody knows.
void warn_of_routers(const network::LinksNetwork& network, const Warn& warn) {
    const std::size_t routers = network.nodes.size() - network.hosts().size();
    if (routers > 0)
        warn(
            fmt::format("the cycle times of {} of {} nodes are not known, and they are routers: "
                        "--cycle-time or espalier measure --compute tells",
                        routers, network.nodes.size()));
}

bool becomes_links(const Converted& from, const ConvertOptions& options) {
    return from.network.links() == nullptr && options.to == "links";
}

}  // namespace

void refuse_cycle_time(const Converted& from, const ConvertOptions& options) {
    if (!options.import.cycle_time.empty() && !from.imported && !becomes_links(from, options))
        throw InputError("--cycle-time", "", "it is for GraphML, and for what becomes links");
}

Converted read_any(const std::string& input, const ConvertOptions& options, const Warn& warn) {
    require_bandwidth(options);
    const bool directory = directory::is_source(input);
    const std::string text = directory ? std::string() : read_file(input);
    const bool xml = is_xml(text);
    if (!xml) {
        refuse_if(!options.import.speed.empty(), "--speed", input, "GraphML");
        refuse_if(!options.import.latency.empty(), "--latency", input, "GraphML");
        refuse_if(!options.import.hosts.empty(), "--hosts", input, "SimGrid platform");
    }
    if (!directory) refuse_source_options(input, options.source);
    std::optional<Input> found;
    if (directory)
        found = read_input(input, options.unit, options.source, warn);
    else if (!xml)
        found = parse_input(text, input, options.unit);
    if (found)
        if (const auto* table = std::get_if<network::PairTable>(&found->content))
            return {Network(make_pairwise(*table, found->unit, options), input)};
    const char* table = "CSV of latencies";
    refuse_if(options.round_trips, "--rtt", input, table);
    refuse_if(!options.bandwidth.empty(), "--bandwidth", input, table);
    refuse_if(options.in_flight, "--in-flight", input, table);
    if (found) return {std::get<Network>(std::move(found->content))};
    refuse_if(!options.unit.empty(), "--unit", input, table);
    return {import_xml(input, text, options.import, warn), true};
}

network::Network convert(const Converted& from, const std::string& input,
                         const ConvertOptions& options, const Warn& warn) {
    const Network& network = from.network;
    refuse_cycle_time(from, options);
    const std::string to = options.to.empty() ? std::string(network.model_name()) : options.to;
    Network result(Converter(network, input, options).to(to), network.measured(), input);
    if (becomes_links(from, options)) warn_of_routers(*result.links(), warn);
    return result;
}

}  // namespace espalier::frontend
