#include "network/to_links.hpp"

#include "core/error.hpp"
#include "network/grid_view.hpp"
#include "network/unique_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace espalier::network {

namespace {

using Ends = LinksNetwork::Ends;
using Kind = LinksNetwork::Kind;

/// A network under construction; the names of its links are made unique.
class Builder {
public:
    std::size_t add_link(const std::string& name, std::optional<Ends> ends, BytesPerSecond rate,
                         Seconds latency, Kind kind) {
        network.links.push_back({names_.take(name), ends, rate, latency, kind});
        return network.links.size() - 1;
    }

    LinksNetwork network;

private:
    UniqueNames names_;
};

[[noreturn]] void fail_unknown(const std::string& from, const std::string& to) {
    throw InputError(fmt::format("the cost from '{}' to '{}' is not known", from, to));
}

/// Adds one link without ends for each node, of the rates given.
std::vector<std::size_t> add_ports(Builder& builder, const std::vector<BytesPerSecond>& rates,
                                   const std::string& what) {
    std::vector<std::size_t> ports;
    for (std::size_t i = 0; i < rates.size(); ++i)
        ports.push_back(builder.add_link(fmt::format("{} {}", builder.network.nodes[i].name, what),
                                         std::nullopt, rates[i], Seconds(0), Kind::directed));
    return ports;
}

/// A grid's leaves as links: one backbone for each ordered pair, and for each inside.
class GridLinks {
public:
    GridLinks(const GridNetwork& grid, Bytes bytes)
        : view_(grid),
          bytes_(bytes),
          rates_(view_.leaves().size(), view_.leaves().size(), BytesPerSecond(0)),
          backbones_(view_.leaves().size(), view_.leaves().size(), 0) {}

    LinksNetwork build() {
        add_nodes();
        add_backbones();
        for (const auto& shared : view_.shared())
            shared_.push_back(builder_.add_link(shared.name, std::nullopt, shared.capacity,
                                                Seconds(0), Kind::directed));
        const auto sends = add_ports(builder_, greatest(true), "send");
        const auto receives = add_ports(builder_, greatest(false), "receive");
        for (std::size_t from = 0; from < view_.nodes(); ++from)
            for (std::size_t to = 0; to < view_.nodes(); ++to)
                if (from != to) add_route(from, to, sends[from], receives[to]);
        return std::move(builder_.network);
    }

private:
    [[nodiscard]] bool has_pair(std::size_t from, std::size_t to) const {
        return from != to || view_.leaves()[from].cluster->size > 1;
    }

    void add_nodes() {
        for (std::size_t node = 0; node < view_.nodes(); ++node) {
            const auto place = view_.place_of(node);
            builder_.network.nodes.push_back({view_.name_of(place), view_.cycle_time_of(place), 0});
        }
    }

    void add_backbones() {
        const auto& leaves = view_.leaves();
        for (std::size_t from = 0; from < leaves.size(); ++from)
            for (std::size_t to = 0; to < leaves.size(); ++to) {
                if (!has_pair(from, to)) continue;
                const PLogP* link = view_.link(from, to);
                if (link == nullptr) fail_pair(from, to);
                const Seconds gap = link->gap(bytes_);
                // A message of no bytes needs a bandwidth as well; none of it counts.
                const bool moves = bytes_.value > 0 && gap.value > 0;
                rates_(from, to) =
                    moves ? bytes_ / gap : BytesPerSecond(std::numeric_limits<double>::max());
                const Seconds latency(
                    std::max(0.0, (link->delivery(bytes_) - bytes_ / rates_(from, to)).value));
                const std::string name = from == to
                                             ? leaves[from].cluster->name
                                             : fmt::format("{} -> {}", leaves[from].cluster->name,
                                                           leaves[to].cluster->name);
                backbones_(from, to) = builder_.add_link(name, std::nullopt, rates_(from, to),
                                                         latency, Kind::backbone);
            }
    }

    [[noreturn]] void fail_pair(std::size_t from, std::size_t to) const {
        const std::size_t first = view_.leaves()[to].first_node + (from == to ? 1 : 0);
        fail_unknown(view_.name_of({from, 0}), view_.name_of(view_.place_of(first)));
    }

    /// The greatest rate at which each node sends to, or receives from, any other.
    [[nodiscard]] std::vector<BytesPerSecond> greatest(bool sends) const {
        std::vector<BytesPerSecond> rates(view_.nodes());
        for (std::size_t node = 0; node < view_.nodes(); ++node) {
            const std::size_t leaf = view_.place_of(node).leaf;
            for (std::size_t other = 0; other < view_.leaves().size(); ++other)
                rates[node] =
                    std::max(rates[node], sends ? rates_(leaf, other) : rates_(other, leaf));
        }
        if (view_.nodes() == 1) rates.clear();
        return rates;
    }

    void add_route(std::size_t from, std::size_t to, std::size_t send, std::size_t receive) {
        const std::size_t source = view_.place_of(from).leaf;
        const std::size_t target = view_.place_of(to).leaf;
        std::vector<std::size_t> links{send};
        for (std::size_t s = 0; s < shared_.size(); ++s)
            if (view_.shared()[s].pairs(source, target) != 0) links.push_back(shared_[s]);
        links.push_back(backbones_(source, target));
        links.push_back(receive);
        builder_.network.routes.push_back({from, to, std::move(links)});
    }

    GridView view_;
    Bytes bytes_;
    Matrix<BytesPerSecond> rates_;
    Matrix<std::size_t> backbones_;
    std::vector<std::size_t> shared_;
    Builder builder_;
};

}  // namespace

LinksNetwork to_links(const PairwiseNetwork& network) {
    Builder builder;
    const std::size_t size = network.size();
    for (std::size_t i = 0; i < size; ++i)
        builder.network.nodes.push_back(
            {network.nodes[i],
             network.cycle_times.empty() ? std::nullopt : std::optional(network.cycle_times[i]),
             0});
    if (size < 2) return std::move(builder.network);
    const auto egress = add_ports(builder, network.egress, "egress");
    const auto ingress = add_ports(builder, network.ingress, "ingress");
    for (std::size_t from = 0; from < size; ++from)
        for (std::size_t to = 0; to < size; ++to) {
            if (from == to) continue;
            if (!network.startup(from, to) || !network.bandwidth(from, to))
                fail_unknown(network.nodes[from], network.nodes[to]);
            const std::size_t pair = builder.add_link(
                fmt::format("{} -> {}", network.nodes[from], network.nodes[to]), Ends{from, to},
                *network.bandwidth(from, to), *network.startup(from, to), Kind::directed);
            std::vector<std::size_t> links;
            if (!egress.empty()) links.push_back(egress[from]);
            links.push_back(pair);
            if (!ingress.empty()) links.push_back(ingress[to]);
            builder.network.routes.push_back({from, to, std::move(links)});
        }
    return std::move(builder.network);
}

LinksNetwork to_links(const GridNetwork& network, Bytes bytes) {
    return GridLinks(network, bytes).build();
}

}  // namespace espalier::network
