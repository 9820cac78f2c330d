#include "network/json.hpp"

#include "core/error.hpp"
#include "core/files.hpp"
#include "core/json_reader.hpp"
#include "core/json_text.hpp"
#include "core/sha256.hpp"
#include "network/links_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace espalier::network {

namespace {

template <typename Cell, typename Read>
Matrix<std::optional<Cell>> read_matrix(const JsonValue& value, std::size_t size, Read read) {
    Matrix<std::optional<Cell>> matrix(size, size);
    const auto rows = value.array(size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto row = rows[i].array(size);
        for (std::size_t j = 0; j < size; ++j)
            if (i != j && !row[j].is_null()) matrix(i, j) = read(row[j]);
    }
    return matrix;
}

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
                         "egress_Bps", "ingress_Bps"});
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
    return network;
}

/// The latency function of one link: the plain number, and the table by size where there is one.
CostTable read_latency(const JsonValue& plain, const std::optional<JsonValue>& by_size) {
    CostTable constant(Seconds(plain.number()));
    if (!by_size || by_size->is_null()) return constant;
    CostTable table = read_cost_table(*by_size);
    if (table.entries().front().time != constant.entries().front().time)
        by_size->fail("its first entry is not the latency_s of the same link");
    return table;
}

PLogP read_plogp(const JsonValue& object) {
    object.allow_only({"latency_s", "latency_by_size_s", "gap_s"});
    return {read_latency(object.at("latency_s"), object.find("latency_by_size_s")),
            read_cost_table(object.at("gap_s"))};
}

/// Of each node of a cluster.
std::optional<BytesPerSecond> read_cap(const JsonValue& cluster, const std::string& field) {
    const auto cap = cluster.find(field);
    if (!cap) return std::nullopt;
    if (cluster.has("grid")) cap->fail("it belongs to the clusters of its grid");
    return BytesPerSecond(cap->positive());
}

GridNetwork read_grid(const JsonValue& document);

Cluster read_cluster(const JsonValue& object) {
    object.allow_only({"name", "nodes", "size", "local", "broadcast_s", "grid", "within_node",
                       "cycle_times", "egress_Bps", "ingress_Bps"});
    Cluster cluster;
    cluster.name = object.at("name").string();
    if (const auto nodes = object.find("nodes"))
        for (const auto& node : nodes->array()) cluster.nodes.push_back(node.string());
    cluster.size = cluster.nodes.size();
    if (const auto size = object.find("size")) {
        cluster.size = size->count(1);
        if (object.has("nodes")) size->fail("a cluster has nodes or size, not both");
    }
    if (const auto local = object.find("local"))
        cluster.inside = Cluster::Local{read_plogp(*local)};
    if (const auto time = object.find("broadcast_s"))
        cluster.inside = Cluster::KnownBroadcast{Seconds(time->number())};
    if (const auto inner = object.find("grid")) {
        inner->allow_only({"clusters", "latency_s", "latency_by_size_s", "gap_s", "shared"});
        GridNetwork grid = read_grid(*inner);
        std::size_t total = 0;
        for (const Cluster& member : grid.clusters) total += member.size;
        if ((object.has("nodes") || object.has("size")) && cluster.size != total)
            object.fail(fmt::format("its own grid has {} nodes, not {}", total, cluster.size));
        cluster.size = total;
        cluster.inside = std::make_shared<const GridNetwork>(std::move(grid));
        for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
            if (cluster.nodes[n] != cluster.node_name(n))
                object.at("nodes").fail(fmt::format("its own grid has '{}' where '{}' is listed",
                                                    cluster.node_name(n), cluster.nodes[n]));
        cluster.nodes.clear();  // the grid inside says it all
    } else if (!object.has("nodes") && !object.has("size")) {
        object.fail("nodes or size is missing");
    }
    const int stated =
        int{object.has("local")} + int{object.has("broadcast_s")} + int{object.has("grid")};
    if (stated > 1) object.fail("more than one of local, broadcast_s and grid");
    if (stated == 0 && cluster.size > 1)
        object.fail("one of local, broadcast_s and grid is missing");
    if (const auto within = object.find("within_node")) cluster.within_node = read_plogp(*within);
    cluster.egress = read_cap(object, "egress_Bps");
    cluster.ingress = read_cap(object, "ingress_Bps");
    if (const auto times = object.find("cycle_times")) {
        if (object.has("grid")) times->fail("they belong to the clusters of its grid");
        for (const auto& time : times->array(cluster.size))
            cluster.cycle_times.push_back(time.positive());
    }
    return cluster;
}

Transport read_transport(const JsonValue& object) {
    object.allow_only({"burst_bytes", "queue_s", "shares"});
    Transport transport;
    if (const auto burst = object.find("burst_bytes")) transport.burst = Bytes(burst->count(1));
    if (const auto queue = object.find("queue_s")) {
        transport.queue = Seconds(queue->positive());
        if (transport.burst.value == 0)
            queue->fail("what fits into it is only known with burst_bytes");
    }
    if (const auto shares = object.find("shares")) {
        const std::string how = shares->string();
        if (how == "round-trip")
            transport.shares = Transport::Shares::by_round_trip;
        else if (how != "evenly")
            shares->fail(fmt::format("'{}' is not evenly or round-trip", how));
    }
    return transport;
}

Json transport_json(const Transport& transport) {
    Json object = Json::object();
    if (transport.burst.value > 0) object["burst_bytes"] = transport.burst.value;
    if (transport.queue.value > 0) object["queue_s"] = transport.queue.value;
    if (transport.shares == Transport::Shares::by_round_trip) object["shares"] = "round-trip";
    return object;
}

GridNetwork read_grid(const JsonValue& document) {
    GridNetwork grid;
    std::unordered_map<std::string, std::size_t> index;
    for (const auto& object : document.at("clusters").array()) {
        grid.clusters.push_back(read_cluster(object));
        const std::string& name = grid.clusters.back().name;
        if (!index.emplace(name, grid.clusters.size() - 1).second)
            object.at("name").fail(fmt::format("the name '{}' is used twice", name));
    }
    if (grid.clusters.empty()) document.at("clusters").fail("no cluster");
    const std::size_t size = grid.size();
    const auto latencies = document.at("latency_s").array(size);
    const auto gaps = document.at("gap_s").array(size);
    std::vector<JsonValue> tables;
    if (const auto by_size = document.find("latency_by_size_s")) tables = by_size->array(size);
    grid.links = Matrix<std::optional<PLogP>>(size, size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto latency = latencies[i].array(size);
        const auto gap = gaps[i].array(size);
        const auto table = tables.empty() ? std::vector<JsonValue>{} : tables[i].array(size);
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            std::optional<CostTable> delay;
            std::optional<CostTable> occupancy;
            if (!latency[j].is_null())
                delay = read_latency(latency[j],
                                     table.empty() ? std::nullopt : std::optional(table[j]));
            if (!gap[j].is_null()) occupancy = read_cost_table(gap[j]);
            if (delay && occupancy)
                grid.links(i, j) = PLogP{std::move(*delay), std::move(*occupancy)};
        }
    }
    if (const auto shared = document.find("shared")) {
        for (const auto& object : shared->array()) {
            object.allow_only({"name", "capacity_Bps", "pairs"});
            SharedCapacity capacity{object.at("name").string(),
                                    BytesPerSecond(object.at("capacity_Bps").positive()),
                                    {}};
            for (const auto& pair : object.at("pairs").array()) {
                std::array<std::size_t, 2> ends{};
                const auto names = pair.array(2);
                for (std::size_t end = 0; end < 2; ++end) {
                    const auto found = index.find(names[end].string());
                    if (found == index.end())
                        names[end].fail(
                            fmt::format("no cluster is named '{}'", names[end].string()));
                    ends.at(end) = found->second;
                }
                capacity.pairs.emplace_back(ends[0], ends[1]);
            }
            grid.shared.push_back(std::move(capacity));
        }
    }
    if (const auto time = document.find("message_s")) grid.message_time = Seconds(time->number());
    if (const auto transport = document.find("transport"))
        grid.transport = read_transport(*transport);
    if (const auto unstated = document.find("unstated")) {
        const std::string text = unstated->string();
        if (text == "separate")
            grid.unstated = Unstated::separate;
        else if (text != "shared")
            unstated->fail(fmt::format("'{}' is not shared or separate", text));
    }
    return grid;
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
                         "gap_s", "shared", "message_s", "transport", "unstated"});
    return read_grid(document);
}

/// A square matrix as rows of cells; 0 on the diagonal, null where `cell` yields nothing.
template <typename Write>
Json matrix_json(std::size_t size, Write cell) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < size; ++i) {
        Json row = Json::array();
        for (std::size_t j = 0; j < size; ++j) row.push_back(i == j ? Json(0) : cell(i, j));
        rows.push_back(std::move(row));
    }
    return rows;
}

void write_plogp(const PLogP& link, Json& object) {
    object["latency_s"] = link.latency.entries().front().time.value;
    if (!link.latency.is_constant()) object["latency_by_size_s"] = to_json(link.latency);
    object["gap_s"] = to_json(link.gap);
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
    }

    void operator()(const GridNetwork& grid) const {
        document["clusters"] = Json::array();
        for (const Cluster& cluster : grid.clusters)
            document["clusters"].push_back(cluster_json(cluster));
        const auto cells = [&](auto write) {
            return matrix_json(grid.size(), [&](std::size_t i, std::size_t j) {
                const auto& link = grid.links(i, j);
                return link ? Json(write(*link)) : Json(nullptr);
            });
        };
        document["latency_s"] =
            cells([](const PLogP& link) { return link.latency.entries().front().time.value; });
        bool by_size = false;
        for (std::size_t i = 0; i < grid.size(); ++i)
            for (std::size_t j = 0; j < grid.size(); ++j)
                by_size = by_size || (grid.links(i, j) && !grid.links(i, j)->latency.is_constant());
        if (by_size)
            document["latency_by_size_s"] = cells([](const PLogP& link) {
                return link.latency.is_constant() ? Json(nullptr) : to_json(link.latency);
            });
        document["gap_s"] = cells([](const PLogP& link) { return to_json(link.gap); });
        if (grid.message_time > Seconds(0)) document["message_s"] = grid.message_time.value;
        if (grid.transport != Transport{}) document["transport"] = transport_json(grid.transport);
        if (grid.unstated == Unstated::separate) document["unstated"] = "separate";
        if (grid.shared.empty()) return;
        document["shared"] = Json::array();
        for (const SharedCapacity& shared : grid.shared) {
            Json pairs = Json::array();
            for (const auto& [from, to] : shared.pairs)
                pairs.push_back(Json::array({grid.clusters[from].name, grid.clusters[to].name}));
            document["shared"].push_back(
                {{"name", shared.name}, {"capacity_Bps", shared.capacity.value}, {"pairs", pairs}});
        }
    }

    void operator()(const LinksNetwork& network) const { write_links(network, document); }

    static Json cluster_json(const Cluster& cluster) {
        Json object{{"name", cluster.name}};
        const GridNetwork* inner = cluster.grid();
        if (cluster.nodes.empty())
            object["size"] = cluster.size;
        else
            object["nodes"] = cluster.nodes;
        if (const PLogP* local = cluster.local()) write_plogp(*local, object["local"]);
        if (const auto* known = std::get_if<Cluster::KnownBroadcast>(&cluster.inside))
            object["broadcast_s"] = known->time.value;
        if (inner != nullptr) Writer{object["grid"]}(*inner);
        if (cluster.within_node) write_plogp(*cluster.within_node, object["within_node"]);
        if (!cluster.cycle_times.empty()) object["cycle_times"] = cluster.cycle_times;
        if (cluster.egress) object["egress_Bps"] = cluster.egress->value;
        if (cluster.ingress) object["ingress_Bps"] = cluster.ingress->value;
        return object;
    }
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
    const JsonValue document = JsonValue::parse(source, text, storage);
    require_format(document, "espalier-network");
    const auto measured = document.find("measured");
    if (measured && !measured->is_object()) measured->fail("an object was expected");
    return Network(read_model(document), measured ? measured->raw() : Json(nullptr), source);
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
