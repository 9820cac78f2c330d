#include "network/json.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/sha256.hpp"
#include "network/grid_json.hpp"
#include "network/links_json.hpp"
#include "network/matrix_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace espalier::network {

namespace {

std::vector<BytesPerSecond> read_caps(const JsonValue& document, const std::string& name,
                                      std::size_t size) {
    std::vector<BytesPerSecond> caps;
    if (const auto value = document.find(name))
        for (const auto& cap : value->array(size)) caps.emplace_back(cap.positive());
    return caps;
}

SenderNetwork read_sender(const JsonValue& document) {
    document.allow_only({"format", "version", "model", "time_unit", "nodes", "classes"});
    SenderNetwork network;
    if (const auto unit = document.find("time_unit")) network.time_unit = unit->string();
    if (document.has("nodes") == document.has("classes"))
        document.fail("exactly one of nodes and classes was expected");
    if (const auto nodes = document.find("nodes")) {
        for (const auto& node : nodes->array()) {
            node.allow_only({"name", "transmission_time"});
            network.classes.push_back(
                {node.at("name").string(), node.at("transmission_time").positive(), 1, true});
        }
    } else {
        for (const auto& group : document.at("classes").array()) {
            group.allow_only({"name", "transmission_time", "count"});
            network.classes.push_back({group.at("name").string(),
                                       group.at("transmission_time").positive(),
                                       group.at("count").count(1), false});
        }
    }
    return network;
}

PairwiseNetwork read_pairwise(const JsonValue& document) {
    document.allow_only({"format", "version", "model", "nodes", "startup_s", "bandwidth_Bps",
                         "egress_Bps", "ingress_Bps", "spread"});
    PairwiseNetwork network;
    for (const auto& node : document.at("nodes").array()) {
        node.allow_only({"name", "cycle_time"});
        network.nodes.push_back(node.at("name").string());
        const auto time = node.find("cycle_time");
        if (network.nodes.size() > 1 && time.has_value() == network.cycle_times.empty())
            node.fail(fmt::format("it has {} cycle_time, and others have {}", time ? "a" : "no",
                                  time ? "none" : "one"));
        if (time) network.cycle_times.push_back(time->positive());
    }
    const std::size_t size = network.nodes.size();
    network.startup =
        read_matrix<Seconds>(document.at("startup_s"), size,
                             [](const JsonValue& cell) { return Seconds(cell.number()); });
    network.bandwidth = read_matrix<BytesPerSecond>(
        document.at("bandwidth_Bps"), size,
        [](const JsonValue& cell) { return BytesPerSecond(cell.positive()); });
    network.egress = read_caps(document, "egress_Bps", size);
    network.ingress = read_caps(document, "ingress_Bps", size);
    if (const auto spread = document.find("spread"))
        network.spread = read_matrix<double>(*spread, size, read_spread);
    return network;
}

Network::Model read_model(const JsonValue& document) {
    const JsonValue model = document.at("model");
    const std::string name = model.string();
    if (name == "sender") return read_sender(document);
    if (name == "pairwise") return read_pairwise(document);
    if (name == "links") return read_links(document);
    if (name != "grid")
        model.fail(fmt::format("'{}' is not sender, pairwise, grid or links", name));
    document.allow_only({"format", "version", "model", "clusters", "latency_s", "latency_by_size_s",
                         "gap_s", "spread", "shared", "message_s", "transport", "unstated",
                         "uncertainty"});
    return read_grid(document);
}

struct Writer {
    Json& document;

    void operator()(const SenderNetwork& network) const {
        document["time_unit"] = network.time_unit;
        const bool listed = std::all_of(network.classes.begin(), network.classes.end(),
                                        [](const auto& group) { return group.listed_as_node; });
        Json members = Json::array();
        for (const auto& group : network.classes) {
            Json member{{"name", group.name}, {"transmission_time", group.transmission_time}};
            if (!listed) member["count"] = group.count;
            members.push_back(std::move(member));
        }
        document[listed ? "nodes" : "classes"] = std::move(members);
    }

    void operator()(const PairwiseNetwork& network) const {
        document["nodes"] = Json::array();
        for (std::size_t i = 0; i < network.size(); ++i) {
            Json node{{"name", network.nodes[i]}};
            if (!network.cycle_times.empty()) node["cycle_time"] = network.cycle_times[i];
            document["nodes"].push_back(std::move(node));
        }
        document["startup_s"] = matrix_json(network.size(), [&](std::size_t i, std::size_t j) {
            return network.startup(i, j) ? Json(network.startup(i, j)->value) : Json(nullptr);
        });
        document["bandwidth_Bps"] = matrix_json(network.size(), [&](std::size_t i, std::size_t j) {
            return network.bandwidth(i, j) ? Json(network.bandwidth(i, j)->value) : Json(nullptr);
        });
        for (const auto cap : network.egress) document["egress_Bps"].push_back(cap.value);
        for (const auto cap : network.ingress) document["ingress_Bps"].push_back(cap.value);
        if (network.spread.rows() > 0)
            document["spread"] = matrix_json(network.size(), [&](std::size_t i, std::size_t j) {
                return network.spread(i, j) ? Json(*network.spread(i, j)) : Json(nullptr);
            });
    }

    void operator()(const GridNetwork& grid) const { write_grid(grid, document); }
    void operator()(const LinksNetwork& network) const { write_links(network, document); }
};

Json document_of(const Network& network) {
    Json document{{"format", "espalier-network"}, {"version", 1}, {"model", network.model_name()}};
    std::visit(Writer{document}, network.model());
    return document;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return number;
}

/// A report that ESPALIER_REPORT asked for.
bool is_run(const JsonValue& file) {
    const auto format = file.is_object() ? file.find("format") : std::nullopt;
    return format && format->raw() == "espalier-run";
}

}  // namespace

CostTable read_cost_table(const JsonValue& value) {
    if (value.is_number()) return CostTable(Seconds(value.number()));
    if (!value.is_object()) value.fail("a number or a table bytes -> seconds was expected");
    std::vector<CostTable::Entry> entries;
    for (const auto& [name, time] : value.fields()) {
        const auto size = whole_number(name);
        if (!size) time.fail(fmt::format("'{}' is not a size in bytes", name));
        entries.push_back({Bytes(*size), Seconds(time.number())});
    }
    if (entries.empty()) value.fail("an empty table");
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.size < b.size; });
    for (std::size_t i = 1; i < entries.size(); ++i)
        if (entries[i].size == entries[i - 1].size)
            value.fail(fmt::format("size {} stands twice", entries[i].size.value));
    return CostTable(std::move(entries));
}

Json to_json(const CostTable& table) {
    if (table.is_constant()) return table.entries().front().time.value;
    Json object = Json::object();
    for (const auto& entry : table.entries())
        object[std::to_string(entry.size.value)] = entry.time.value;
    return object;
}

Network parse_network(const std::string& text, const std::string& source) {
    Json storage;
    return read_network(JsonValue::parse(source, text, storage));
}

Network read_network(const JsonValue& file) {
    const JsonValue document = is_run(file) ? file.at("network_described") : file;
    require_format(document, "espalier-network");
    const auto measured = document.find("measured");
    if (measured && !measured->is_object()) measured->fail("an object was expected");
    return Network(read_model(document), measured ? measured->raw() : Json(nullptr), file.file());
}

Network read_network(const std::string& path) { return parse_network(read_file(path), path); }

Json to_json(const Network& network) {
    Json document = document_of(network);
    if (!network.measured().is_null()) document["measured"] = network.measured();
    return document;
}

void write_network(const Network& network, const std::string& path) {
    write_file(path, to_text(to_json(network)));
}

std::string fingerprint(const Network& network) {
    return "sha256:" + sha256(document_of(network).dump());
}

}  // namespace espalier::network
