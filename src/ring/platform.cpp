#include "ring/platform.hpp"

#include "core/error.hpp"
#include "network/convert.hpp"

#include <fmt/format.h>

#include <numeric>

namespace espalier::ring {
namespace {

using network::LinksNetwork;

/// The vertices that can be reached from `start`, along links or against them.
std::vector<char> reached_from(const LinksNetwork& network, std::size_t start, bool forwards) {
    std::vector<std::vector<std::size_t>> next(network.nodes.size());
    for (const auto& link : network.links) {
        if (!link.ends) continue;
        const bool both = link.kind != LinksNetwork::Kind::directed;
        if (forwards || both) next[link.ends->from].push_back(link.ends->to);
        if (!forwards || both) next[link.ends->to].push_back(link.ends->from);
    }
    std::vector<char> reached(network.nodes.size(), 0);
    std::vector<std::size_t> open{start};
    reached[start] = 1;
    while (!open.empty()) {
        const std::size_t vertex = open.back();
        open.pop_back();
        for (const std::size_t other : next[vertex])
            if (reached[other] == 0) {
                reached[other] = 1;
                open.push_back(other);
            }
    }
    return reached;
}

/// Throws InputError where a host can't send to the first one, or not receive from it.
void require_connected(const LinksNetwork& network, const std::vector<std::size_t>& hosts) {
    const auto from_first = reached_from(network, hosts.front(), true);
    const auto to_first = reached_from(network, hosts.front(), false);
    const auto fail = [&](std::size_t from, std::size_t to) {
        throw InputError("links", "",
                         fmt::format("no path leads from '{}' to '{}'", network.nodes[from].name,
                                     network.nodes[to].name));
    };
    for (const std::size_t host : hosts) {
        if (from_first[host] == 0) fail(hosts.front(), host);
        if (to_first[host] == 0) fail(host, hosts.front());
    }
}

}  // namespace

Platform::Platform(const LinksNetwork& network) : first_arc_(network.nodes.size() + 1, 0) {
    const auto hosts = network.hosts();
    if (hosts.empty()) throw InputError("nodes", "", "no host: no node has a cycle_time");
    for (const std::size_t host : hosts) {
        vertex_of_.push_back(static_cast<Vertex>(host));
        cycle_times_.push_back(*network.nodes[host].cycle_time);
        startups_.push_back(network.nodes[host].startup);
    }
    for (const auto& link : network.links)
        links_.push_back(
            {link.bandwidth.value, link.latency.value, link.kind != LinksNetwork::Kind::backbone});

    if (!network.routes.empty()) {
        const auto routes = network::routes(network, hosts);
        routes_.resize(hosts.size() * hosts.size());
        for (std::size_t from = 0; from < hosts.size(); ++from)
            for (std::size_t to = 0; to < hosts.size(); ++to)
                routes_[from * hosts.size() + to].assign(routes[from][to].begin(),
                                                         routes[from][to].end());
        return;
    }

    require_connected(network, hosts);
    const auto for_each_arc = [&](auto&& visit) {
        for (std::size_t id = 0; id < network.links.size(); ++id) {
            const auto& link = network.links[id];
            if (!link.ends) continue;
            visit(link.ends->from, link.ends->to, id);
            if (link.kind != LinksNetwork::Kind::directed)
                visit(link.ends->to, link.ends->from, id);
        }
    };
    for_each_arc([&](std::size_t from, std::size_t, std::size_t) { ++first_arc_[from + 1]; });
    std::partial_sum(first_arc_.begin(), first_arc_.end(), first_arc_.begin());
    arcs_.resize(first_arc_.back());
    std::vector<std::size_t> place(first_arc_.begin(), first_arc_.end() - 1);
    for_each_arc([&](std::size_t from, std::size_t to, std::size_t id) {
        arcs_[place[from]++] = {static_cast<Vertex>(to), static_cast<LinkId>(id)};
    });
}

}  // namespace espalier::ring
