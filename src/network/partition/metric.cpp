#include "network/partition/metric.hpp"

#include "core/error.hpp"
#include "network/convert.hpp"
#include "network/grid_view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::network {

namespace {

Metric empty_metric(std::vector<std::string> names) {
    const std::size_t n = names.size();
    return {std::move(names), Matrix<std::optional<double>>(n, n)};
}

/// Fills all cells off the diagonal from `distance(from, to)`.
template <typename Distance>
Metric filled(std::vector<std::string> names, const Distance& distance) {
    Metric metric = empty_metric(std::move(names));
    for (std::size_t from = 0; from < metric.size(); ++from)
        for (std::size_t to = 0; to < metric.size(); ++to)
            if (from != to) metric.distance(from, to) = distance(from, to);
    return metric;
}

[[noreturn]] void no_hops(const std::string& source, std::string_view model) {
    throw InputError(source, "metric",
                     fmt::format("a {} network does not say how many hops a pair is apart", model));
}

Metric from_pairwise(const PairwiseNetwork& network, MetricKind kind) {
    return filled(network.nodes, [&](std::size_t from, std::size_t to) -> std::optional<double> {
        if (kind == MetricKind::latency) {
            const auto startup = network.startup(from, to);
            return startup ? std::optional(startup->value) : std::nullopt;
        }
        const auto bandwidth = network.bandwidth(from, to);
        return bandwidth ? std::optional(1 / bandwidth->value) : std::nullopt;
    });
}

Metric from_grid(const GridNetwork& grid, MetricKind kind, Bytes bytes) {
    const GridView view(grid);
    std::vector<std::string> names;
    std::vector<std::size_t> leaf_of;
    for (std::size_t leaf = 0; leaf < view.leaves().size(); ++leaf) {
        const Cluster& cluster = *view.leaves()[leaf].cluster;
        const bool whole = cluster.size > 1 && cluster.local() == nullptr;
        for (std::size_t node = 0; node < (whole ? 1 : cluster.size); ++node) {
            names.push_back(whole ? cluster.name : view.name_of({leaf, node}));
            leaf_of.push_back(leaf);
        }
    }
    return filled(std::move(names), [&](std::size_t from, std::size_t to) -> std::optional<double> {
        const PLogP* link = view.link(leaf_of[from], leaf_of[to]);
        if (link == nullptr) return std::nullopt;
        if (kind == MetricKind::latency) return link->latency(Bytes(0)).value;
        return link->gap(bytes).value / static_cast<double>(bytes.value);
    });
}

/// Throws InputError without a file where some host can't be reached.
Metric from_links(const LinksNetwork& network, MetricKind kind) {
    if (kind != MetricKind::hops) return from_pairwise(to_pairwise(network), kind);
    const auto hosts = network.hosts();
    const auto paths = routes(network, hosts);
    std::vector<std::string> names;
    for (const std::size_t host : hosts) names.push_back(network.nodes[host].name);
    return filled(std::move(names), [&](std::size_t from, std::size_t to) {
        return std::optional(static_cast<double>(paths[from][to].size()));
    });
}

}  // namespace

std::optional<double> Metric::between(std::size_t a, std::size_t b) const {
    const auto& there = distance(a, b);
    const auto& back = distance(b, a);
    if (there && back) return std::max(*there, *back);
    return there ? there : back;
}

MetricKind parse_metric_kind(std::string_view text, const std::string& where) {
    if (text == "latency") return MetricKind::latency;
    if (text == "bandwidth") return MetricKind::bandwidth;
    if (text == "hops") return MetricKind::hops;
    throw InputError(where, "",
                     fmt::format("'{}' is not a metric: latency, bandwidth or hops", text));
}

Metric to_metric(const PairTable& table, MetricKind kind, TimeUnit unit) {
    return filled(table.names, [&](std::size_t from, std::size_t to) -> std::optional<double> {
        const auto& cell = table.cells(from, to);
        if (!cell) return std::nullopt;
        switch (kind) {
            case MetricKind::latency:
                return *cell * duration(unit).value;
            case MetricKind::bandwidth:
                return 1 / *cell;
            case MetricKind::hops:
                return *cell;
        }
        return std::nullopt;
    });
}

Metric to_metric(const Network& network, MetricKind kind, Bytes bytes, const std::string& source) {
    if (const auto* links = network.links()) {
        try {
            return from_links(*links, kind);
        } catch (const InputError& error) {
            throw InputError(source, "links", error.what());
        }
    }
    if (network.sender() != nullptr)
        throw InputError(source, "model", "a sender network says nothing of pairs of nodes");
    if (kind == MetricKind::hops) no_hops(source, network.model_name());
    if (const auto* pairwise = network.pairwise()) return from_pairwise(*pairwise, kind);
    if (kind == MetricKind::bandwidth && bytes.value == 0)
        throw InputError(source, "bytes", "a bandwidth needs a message of at least one byte");
    return from_grid(*network.grid(), kind, bytes);
}

}  // namespace espalier::network
