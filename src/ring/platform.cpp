#include "ring/platform.hpp"

#include "core/error.hpp"
#include "core/infinity.hpp"
#include "network/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::ring {

using network::LinksNetwork;

Platform::Platform(const LinksNetwork& network) : leaving_(network.nodes.size()) {
    const auto hosts = network.hosts();
    if (hosts.empty()) throw InputError("nodes", "", "no host: no node has a cycle_time");
    for (const std::size_t host : hosts) {
        vertex_of_.push_back(static_cast<Vertex>(host));
        cycle_times_.push_back(*network.nodes[host].cycle_time);
        startups_.push_back(network.nodes[host].startup);
    }
    for (const auto& link : network.links) {
        links_.push_back(
            {link.bandwidth.value, link.latency.value, link.kind != LinksNetwork::Kind::backbone});
        bandwidths_.push_back(link.bandwidth.value);
    }

    if (!network.routes.empty()) {
        const auto routes = network::routes(network, hosts);
        routes_ = RouteTable(hosts.size(), hosts.size());
        for (std::size_t from = 0; from < hosts.size(); ++from)
            for (std::size_t to = 0; to < hosts.size(); ++to)
                routes_(from, to).assign(routes[from][to].begin(), routes[from][to].end());
        return;
    }

    std::vector<std::vector<LinkId>> next_to(network.nodes.size());
    for (LinkId id = 0; id < network.links.size(); ++id) {
        const auto& link = network.links[id];
        if (!link.ends) continue;
        const auto from = static_cast<Vertex>(link.ends->from);
        const auto to = static_cast<Vertex>(link.ends->to);
        leaving_[from].push_back({to, id});
        if (link.kind != LinksNetwork::Kind::directed) leaving_[to].push_back({from, id});
        next_to[from].push_back(id);
        if (to != from) next_to[to].push_back(id);
    }
    for (const std::size_t host : hosts) next_to_.push_back(std::move(next_to[host]));
    require_paths(network);
}

void Platform::require_paths(const LinksNetwork& network) const {
    for (const Vertex from : vertex_of_) {
        std::vector<char> reached(vertices(), 0);
        std::vector<Vertex> open{from};
        reached[from] = 1;
        while (!open.empty()) {
            const Vertex vertex = open.back();
            open.pop_back();
            for (const Arc& arc : leaving(vertex))
                if (std::exchange(reached[arc.to], 1) == 0) open.push_back(arc.to);
        }
        for (const Vertex to : vertex_of_)
            if (reached[to] == 0)
                throw InputError("links", "",
                                 fmt::format("no path leads from '{}' to '{}'",
                                             network.nodes[from].name, network.nodes[to].name));
    }
}

double Platform::capacity_at(Host host, std::span<const double> left) const {
    if (has_routes()) return infinity;
    double sum = 0;
    for (const LinkId link : next_to_[host]) sum += links_[link].shared ? left[link] : infinity;
    return sum;
}

Host Platform::fastest() const {
    return static_cast<Host>(std::ranges::min_element(cycle_times_) - cycle_times_.begin());
}

}  // namespace espalier::ring
