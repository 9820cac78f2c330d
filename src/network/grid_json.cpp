#include "network/grid_json.hpp"

#include "core/json_reader.hpp"
#include "network/json.hpp"
#include "network/matrix_json.hpp"

#include <fmt/format.h>

#include <string>
#include <unordered_map>

namespace espalier::network {

namespace {

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
    object.allow_only({"latency_s", "latency_by_size_s", "gap_s", "spread"});
    PLogP link{read_latency(object.at("latency_s"), object.find("latency_by_size_s")),
               read_cost_table(object.at("gap_s"))};
    if (const auto spread = object.find("spread")) link.spread = read_spread(*spread);
    return link;
}

/// Reads what each node of a cluster can send, or receive, in all; nullopt if the file does not
/// say.
std::optional<BytesPerSecond> read_cap(const JsonValue& cluster, const std::string& field) {
    const auto cap = cluster.find(field);
    if (!cap) return std::nullopt;
    if (cluster.has("grid")) cap->fail("it belongs to the clusters of its grid");
    return BytesPerSecond(cap->positive());
}

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
        inner->allow_only(
            {"clusters", "latency_s", "latency_by_size_s", "gap_s", "spread", "shared"});
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

/// `clusters`: their indices by name.
SharedCapacity read_shared(const JsonValue& object,
                           const std::unordered_map<std::string, std::size_t>& clusters) {
    object.allow_only({"name", "capacity_Bps", "pairs", "spread"});
    SharedCapacity capacity{
        object.at("name").string(), BytesPerSecond(object.at("capacity_Bps").positive()), {}};
    if (const auto spread = object.find("spread")) capacity.spread = read_spread(*spread);
    const auto cluster = [&](const JsonValue& name) {
        const auto found = clusters.find(name.string());
        if (found == clusters.end())
            name.fail(fmt::format("no cluster is named '{}'", name.string()));
        return found->second;
    };
    for (const auto& pair : object.at("pairs").array()) {
        const auto names = pair.array(2);
        const std::size_t from = cluster(names[0]);
        capacity.pairs.emplace_back(from, cluster(names[1]));
    }
    return capacity;
}

Transport read_transport(const JsonValue& object) {
    object.allow_only({"burst_bytes", "queue_s", "shares", "restart_s"});
    Transport transport;
    if (const auto burst = object.find("burst_bytes")) transport.burst = Bytes(burst->count(1));
    if (const auto queue = object.find("queue_s")) {
        transport.queue = Seconds(queue->positive());
        if (transport.burst.value == 0)
            queue->fail("what fits into it is only known with burst_bytes");
    }
    if (const auto restart = object.find("restart_s")) {
        transport.restart = Seconds(restart->positive());
        if (transport.burst.value == 0)
            restart->fail("what a connection starts with is only known with burst_bytes");
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
    if (transport.restart) object["restart_s"] = transport.restart->value;
    return object;
}

void write_plogp(const PLogP& link, Json& object) {
    object["latency_s"] = link.latency.entries().front().time.value;
    if (!link.latency.is_constant()) object["latency_by_size_s"] = to_json(link.latency);
    object["gap_s"] = to_json(link.gap);
    if (link.spread) object["spread"] = *link.spread;
}

Json cluster_json(const Cluster& cluster) {
    Json object{{"name", cluster.name}};
    const GridNetwork* inner = cluster.grid();
    if (cluster.nodes.empty())
        object["size"] = cluster.size;
    else
        object["nodes"] = cluster.nodes;
    if (const PLogP* local = cluster.local()) write_plogp(*local, object["local"]);
    if (const auto* known = std::get_if<Cluster::KnownBroadcast>(&cluster.inside))
        object["broadcast_s"] = known->time.value;
    if (inner != nullptr) write_grid(*inner, object["grid"]);
    if (cluster.within_node) write_plogp(*cluster.within_node, object["within_node"]);
    if (!cluster.cycle_times.empty()) object["cycle_times"] = cluster.cycle_times;
    if (cluster.egress) object["egress_Bps"] = cluster.egress->value;
    if (cluster.ingress) object["ingress_Bps"] = cluster.ingress->value;
    return object;
}

}  // namespace

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
    Matrix<std::optional<double>> spreads(size, size);
    if (const auto spread = document.find("spread"))
        spreads = read_matrix<double>(*spread, size, read_spread);
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
                grid.links(i, j) = PLogP{std::move(*delay), std::move(*occupancy), spreads(i, j)};
        }
    }
    if (const auto shared = document.find("shared"))
        for (const auto& object : shared->array())
            grid.shared.push_back(read_shared(object, index));
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
    if (const auto uncertainty = document.find("uncertainty"))
        grid.uncertainty = uncertainty->positive();
    return grid;
}

void write_grid(const GridNetwork& grid, Json& document) {
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
    bool spread = false;
    for (std::size_t i = 0; i < grid.size(); ++i)
        for (std::size_t j = 0; j < grid.size(); ++j) {
            if (!grid.links(i, j)) continue;
            by_size = by_size || !grid.links(i, j)->latency.is_constant();
            spread = spread || grid.links(i, j)->spread;
        }
    if (by_size)
        document["latency_by_size_s"] = cells([](const PLogP& link) {
            return link.latency.is_constant() ? Json(nullptr) : to_json(link.latency);
        });
    document["gap_s"] = cells([](const PLogP& link) { return to_json(link.gap); });
    if (spread)
        document["spread"] = cells(
            [](const PLogP& link) { return link.spread ? Json(*link.spread) : Json(nullptr); });
    if (grid.message_time > Seconds(0)) document["message_s"] = grid.message_time.value;
    if (grid.transport != Transport{}) document["transport"] = transport_json(grid.transport);
    if (grid.unstated == Unstated::separate) document["unstated"] = "separate";
    if (grid.uncertainty != presumed_uncertainty) document["uncertainty"] = grid.uncertainty;
    if (grid.shared.empty()) return;
    document["shared"] = Json::array();
    for (const SharedCapacity& shared : grid.shared) {
        Json pairs = Json::array();
        for (const auto& [from, to] : shared.pairs)
            pairs.push_back(Json::array({grid.clusters[from].name, grid.clusters[to].name}));
        Json entry{
            {"name", shared.name}, {"capacity_Bps", shared.capacity.value}, {"pairs", pairs}};
        if (shared.spread) entry["spread"] = *shared.spread;
        document["shared"].push_back(std::move(entry));
    }
}

}  // namespace espalier::network
