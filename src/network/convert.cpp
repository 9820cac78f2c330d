#include "network/convert.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "network/grid_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace espalier::network {

namespace {

/// The cost that a pairwise network states of a pair; if it states none, an error that names the
/// pair.
struct PairCost {
    Seconds startup;
    BytesPerSecond bandwidth;

    PairCost(const PairwiseNetwork& network, std::size_t from, std::size_t to) {
        if (!network.startup(from, to) || !network.usable_bandwidth(from, to))
            throw InputError(fmt::format("the cost from '{}' to '{}' is not known",
                                         network.nodes[from], network.nodes[to]));
        startup = *network.startup(from, to);
        bandwidth = *network.usable_bandwidth(from, to);
    }
};

/// How the shortest path from a source reaches a node.
struct Reached {
    double latency = infinity;
    std::size_t hops = 0;
    std::size_t link = 0;
    std::size_t before = 0;
};

/// Breaks ties between two paths to one node that have as many links each: whether `one` has the
/// lower link number where the paths first differ, that is, where they last differ when followed
/// back from the node.
bool has_lower_numbers(const std::vector<Reached>& reached, const Reached& one,
                       const Reached& other) {
    bool lower = one.link < other.link;
    std::size_t a = one.before;
    std::size_t b = other.before;
    for (; a != b; a = reached[a].before, b = reached[b].before)
        if (reached[a].link != reached[b].link) lower = reached[a].link < reached[b].link;
    return lower;
}

/// The least latency, then the fewest links, then the lowest numbers of links: what ring planners
/// mean by shortest, too.
std::vector<Reached> shortest_paths(const LinksNetwork& network,
                                    const std::vector<std::vector<std::size_t>>& leaving,
                                    std::size_t source) {
    std::vector<Reached> reached(network.nodes.size());
    using Entry = std::tuple<double, std::size_t, std::size_t>;  // latency, hops, node
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    reached[source].latency = 0;
    open.emplace(0.0, 0, source);
    while (!open.empty()) {
        const auto [latency, hops, node] = open.top();
        open.pop();
        if (std::tie(latency, hops) > std::tie(reached[node].latency, reached[node].hops)) continue;
        for (const std::size_t id : leaving[node]) {
            const auto& link = network.links[id];
            const std::size_t next = link.ends->from == node ? link.ends->to : link.ends->from;
            const Reached found{latency + link.latency.value, hops + 1, id, node};
            const auto now = std::tie(found.latency, found.hops);
            const auto known = std::tie(reached[next].latency, reached[next].hops);
            if (now > known || (now == known && !has_lower_numbers(reached, found, reached[next])))
                continue;
            if (now < known) open.emplace(found.latency, found.hops, next);
            reached[next] = found;
        }
    }
    return reached;
}

std::vector<std::vector<std::vector<std::size_t>>> listed_routes(
    const LinksNetwork& network, const std::vector<std::size_t>& hosts) {
    std::unordered_map<std::size_t, std::size_t> place;
    for (const std::size_t host : hosts) place.emplace(host, place.size());
    std::vector<std::vector<std::vector<std::size_t>>> paths(
        hosts.size(), std::vector<std::vector<std::size_t>>(hosts.size()));
    for (const auto& route : network.routes) {
        const auto from = place.find(route.from);
        const auto to = place.find(route.to);
        if (from != place.end() && to != place.end()) paths[from->second][to->second] = route.links;
    }
    return paths;
}

/// A node's own cap is shared by all pairs that begin (or end) there.
void share_caps(const PairwiseNetwork& network, GridNetwork& grid) {
    const std::size_t size = network.size();
    for (std::size_t i = 0; i < size && size > 1; ++i) {
        SharedCapacity egress{network.nodes[i] + " egress", {}, {}};
        SharedCapacity ingress{network.nodes[i] + " ingress", {}, {}};
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            egress.pairs.emplace_back(i, j);
            ingress.pairs.emplace_back(j, i);
        }
        if (!network.egress.empty()) {
            egress.capacity = network.egress[i];
            grid.shared.push_back(std::move(egress));
        }
        if (!network.ingress.empty()) {
            ingress.capacity = network.ingress[i];
            grid.shared.push_back(std::move(ingress));
        }
    }
}

/// A grid of one-node clusters, one for each node, without links between them.
GridNetwork clusters_of_one(const PairwiseNetwork& network) {
    GridNetwork grid;
    grid.unstated = Unstated::separate;  // what pairs share, these models state
    const std::size_t size = network.size();
    grid.links = Matrix<std::optional<PLogP>>(size, size);
    for (std::size_t i = 0; i < size; ++i) {
        Cluster single;
        single.name = network.nodes[i];
        single.nodes = {network.nodes[i]};
        if (!network.cycle_times.empty()) single.cycle_times = {network.cycle_times[i]};
        grid.clusters.push_back(std::move(single));
    }
    return grid;
}

std::optional<double> spread_of(const PairwiseNetwork& network, std::size_t i, std::size_t j) {
    return network.spread.rows() > 0 ? network.spread(i, j) : std::nullopt;
}

/// A size at which the gap of a pair is stated; it is linear.
constexpr Bytes reference(1U << 20U);

}  // namespace

GridNetwork to_grid(const PairwiseNetwork& network) {
    GridNetwork grid = clusters_of_one(network);
    const std::size_t size = network.size();
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
            const auto& startup = network.startup(i, j);
            const auto rate = network.usable_bandwidth(i, j);
            if (i == j || !startup || !rate) continue;
            grid.links(i, j) =
                PLogP{CostTable(Seconds(0)),
                      CostTable({{Bytes(0), *startup}, {reference, *startup + reference / *rate}}),
                      spread_of(network, i, j)};
        }
    }
    share_caps(network, grid);
    return grid;
}

GridNetwork to_grid_in_flight(const PairwiseNetwork& network) {
    GridNetwork grid = clusters_of_one(network);
    for (std::size_t i = 0; i < network.size(); ++i) {
        if (!network.egress.empty()) grid.clusters[i].egress = network.egress[i];
        if (!network.ingress.empty()) grid.clusters[i].ingress = network.ingress[i];
        for (std::size_t j = 0; j < network.size(); ++j) {
            const auto& startup = network.startup(i, j);
            const auto rate = network.usable_bandwidth(i, j);
            if (i == j || !startup || !rate) continue;
            grid.links(i, j) =
                PLogP{CostTable(*startup),
                      CostTable({{Bytes(0), Seconds(0)}, {reference, reference / *rate}}),
                      spread_of(network, i, j)};
        }
    }
    return grid;
}

GridNetwork to_grid(const LinksNetwork& network) {
    const PairwiseNetwork pairwise = to_pairwise(network);
    GridNetwork grid = clusters_of_one(pairwise);
    const auto paths = routes(network, network.hosts());
    std::vector<SharedCapacity> shared;
    for (const auto& link : network.links) shared.push_back({link.name, link.bandwidth, {}});
    for (std::size_t i = 0; i < paths.size(); ++i)
        for (std::size_t j = 0; j < paths.size(); ++j) {
            if (i == j) continue;
            grid.links(i, j) =
                PLogP{CostTable(*pairwise.startup(i, j)),
                      CostTable({{Bytes(0), Seconds(0)},
                                 {reference, reference / *pairwise.bandwidth(i, j)}})};
            for (const std::size_t id : paths[i][j]) shared[id].pairs.emplace_back(i, j);
        }
    for (std::size_t id = 0; id < shared.size(); ++id)
        if (network.links[id].kind != LinksNetwork::Kind::backbone && !shared[id].pairs.empty())
            grid.shared.push_back(std::move(shared[id]));
    return grid;
}

PairwiseNetwork to_pairwise(const GridNetwork& network, Bytes bytes) {
    const GridView view(network);
    PairwiseNetwork pairwise;
    const std::size_t size = view.nodes();
    pairwise.startup = Matrix<std::optional<Seconds>>(size, size);
    pairwise.bandwidth = Matrix<std::optional<BytesPerSecond>>(size, size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto from = view.place_of(i);
        pairwise.nodes.push_back(view.name_of(from));
        if (const auto time = view.cycle_time_of(from)) pairwise.cycle_times.push_back(*time);
        const Cluster& cluster = *view.leaves()[from.leaf].cluster;
        if (cluster.egress) pairwise.egress.push_back(*cluster.egress);
        if (cluster.ingress) pairwise.ingress.push_back(*cluster.ingress);
        for (std::size_t j = 0; j < size; ++j) {
            const PLogP* link = i == j ? nullptr : view.link(from.leaf, view.place_of(j).leaf);
            if (link == nullptr) continue;
            const Seconds gap = link->gap(bytes);
            // A message of no bytes needs a bandwidth as well; none of it counts.
            const bool moves = bytes.value > 0 && gap.value > 0;
            const BytesPerSecond rate =
                moves ? bytes / gap : BytesPerSecond(std::numeric_limits<double>::max());
            pairwise.bandwidth(i, j) = rate;
            pairwise.startup(i, j) =
                Seconds(std::max(0.0, (link->delivery(bytes) - bytes / rate).value));
            if (!link->spread) continue;
            if (pairwise.spread.rows() == 0)
                pairwise.spread = Matrix<std::optional<double>>(size, size);
            pairwise.spread(i, j) = link->spread;
        }
    }
    // A pairwise network knows the cycle times and caps of all nodes or of none.
    if (pairwise.cycle_times.size() < size) pairwise.cycle_times.clear();
    if (pairwise.egress.size() < size) pairwise.egress.clear();
    if (pairwise.ingress.size() < size) pairwise.ingress.clear();
    return pairwise;
}

PairwiseNetwork to_pairwise(const LinksNetwork& network) {
    PairwiseNetwork pairwise;
    const auto hosts = network.hosts();
    const auto paths = routes(network, hosts);
    pairwise.startup = Matrix<std::optional<Seconds>>(hosts.size(), hosts.size());
    pairwise.bandwidth = Matrix<std::optional<BytesPerSecond>>(hosts.size(), hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        pairwise.nodes.push_back(network.nodes[hosts[i]].name);
        pairwise.cycle_times.push_back(*network.nodes[hosts[i]].cycle_time);
        for (std::size_t j = 0; j < hosts.size(); ++j) {
            if (i == j) continue;
            Seconds startup(network.nodes[hosts[i]].startup + network.nodes[hosts[j]].startup);
            BytesPerSecond rate(std::numeric_limits<double>::max());
            for (const std::size_t id : paths[i][j]) {
                startup += network.links[id].latency;
                rate = std::min(rate, network.links[id].bandwidth);
            }
            pairwise.startup(i, j) = startup;
            pairwise.bandwidth(i, j) = rate;
        }
    }
    return pairwise;
}

SenderNetwork to_sender(const PairwiseNetwork& network, Bytes bytes) {
    SenderNetwork sender;
    const std::size_t size = network.size();
    if (size < 2) throw InputError("a network of one node has no sending times");
    for (std::size_t i = 0; i < size; ++i) {
        Seconds total(0);
        for (std::size_t j = 0; j < size; ++j) {
            if (i == j) continue;
            const PairCost cost(network, i, j);
            total += cost.startup + bytes / cost.bandwidth;
        }
        sender.classes.push_back(
            {network.nodes[i], total.value / static_cast<double>(size - 1), 1, true});
    }
    return sender;
}

std::vector<std::vector<std::vector<std::size_t>>> routes(const LinksNetwork& network,
                                                          const std::vector<std::size_t>& hosts) {
    if (!network.routes.empty()) return listed_routes(network, hosts);
    std::vector<std::vector<std::size_t>> leaving(network.nodes.size());
    for (std::size_t id = 0; id < network.links.size(); ++id) {
        const auto& link = network.links[id];
        if (!link.ends) continue;
        leaving[link.ends->from].push_back(id);
        if (link.kind != LinksNetwork::Kind::directed) leaving[link.ends->to].push_back(id);
    }
    std::vector<std::vector<std::vector<std::size_t>>> paths(
        hosts.size(), std::vector<std::vector<std::size_t>>(hosts.size()));
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        const auto reached = shortest_paths(network, leaving, hosts[i]);
        for (std::size_t j = 0; j < hosts.size(); ++j) {
            if (i == j) continue;
            if (std::isinf(reached[hosts[j]].latency))
                throw InputError(fmt::format("no path leads from '{}' to '{}'",
                                             network.nodes[hosts[i]].name,
                                             network.nodes[hosts[j]].name));
            for (std::size_t node = hosts[j]; node != hosts[i]; node = reached[node].before)
                paths[i][j].push_back(reached[node].link);
            std::reverse(paths[i][j].begin(), paths[i][j].end());
        }
    }
    return paths;
}

}  // namespace espalier::network
