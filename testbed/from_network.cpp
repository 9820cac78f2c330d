#include "testbed/from_network.hpp"

#include "core/error.hpp"
#include "network/convert.hpp"
#include "network/grid_view.hpp"
#include "testbed/builder.hpp"
#include "testbed/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace espalier::testbed {

namespace {

using network::CostTable;
using network::GridNetwork;
using network::GridView;
using network::LinksNetwork;
using network::PairwiseNetwork;
using network::PLogP;

/// What one message gets between two hosts.
struct Pair {
    Seconds latency;
    BytesPerSecond rate;
};

std::uint32_t add_queue(Builder& builder, const std::string& name, BytesPerSecond useful) {
    const BytesPerSecond rate = on_the_wire(useful);
    return builder.add_queue(name, rate, usual_buffer(rate), name);
}

/// The rate of a gap between its first and its last entry; nullopt if all sizes take the same.
std::optional<BytesPerSecond> rate_of(const CostTable& gap) {
    const auto entries = gap.entries();
    const Seconds longer = entries.back().time - entries.front().time;
    const Bytes more(entries.back().size.value - entries.front().size.value);
    return longer > Seconds(0) ? std::optional(more / longer) : std::nullopt;
}

/// L + g of no bytes, where the gap is a straight line.
Seconds latency_of(const PLogP& link, BytesPerSecond rate) {
    const CostTable::Entry first = link.gap.entries().front();
    const double start = std::max(0.0, (first.time - first.size / rate).value);
    return link.latency(Bytes(0)) + Seconds(start);
}

/// The least rate of what a path crosses, its receiver included; a little less, so that what is as
/// slow as that is not taken for slower.
BytesPerSecond slowest(const Builder& builder, const Path& path, std::uint32_t receive) {
    const auto& queues = builder.topology().queues;
    BytesPerSecond least = queues[receive].rate;
    for (const std::uint32_t queue : path.before) least = std::min(least, queues[queue].rate);
    return least * (1 - 1e-9);
}

/// Paths over the queues of both ends, a queue of the pair's own where it is slower, and what
/// `shared` says.
template <typename PairOf, typename SharedOf>
void lay_pairs(Builder& builder, const std::vector<BytesPerSecond>& send,
               const std::vector<BytesPerSecond>& receive, PairOf pair_of, SharedOf shared_of) {
    const std::size_t size = builder.topology().hosts.size();
    const auto name = [&](std::size_t host) { return builder.topology().hosts[host].name; };
    std::vector<std::uint32_t> sends;
    std::vector<std::uint32_t> receives;
    for (std::size_t host = 0; host < size && size > 1; ++host) {
        sends.push_back(add_queue(builder, name(host) + " send", send[host]));
        receives.push_back(add_queue(builder, name(host) + " receive", receive[host]));
    }
    builder.lay_paths();
    for (std::size_t from = 0; from < size; ++from)
        for (std::size_t to = 0; to < size; ++to) {
            if (from == to) continue;
            const Pair pair = pair_of(from, to);
            Path& path = builder.path(from, to);
            path.latency = pair.latency;
            path.before = {sends[from]};
            for (const std::uint32_t queue : shared_of(from, to)) path.before.push_back(queue);
            if (on_the_wire(pair.rate) < slowest(builder, path, receives[to]))
                path.before.push_back(
                    add_queue(builder, fmt::format("{} -> {}", name(from), name(to)), pair.rate));
            path.after = {receives[to]};
        }
}

/// The greatest rate of each host's pairs, as sender or as receiver.
template <typename PairOf>
std::vector<BytesPerSecond> greatest(std::size_t size, bool sends, PairOf pair_of) {
    std::vector<BytesPerSecond> rates(size);
    for (std::size_t host = 0; host < size; ++host)
        for (std::size_t other = 0; other < size; ++other)
            if (host != other)
                rates[host] = std::max(rates[host],
                                       (sends ? pair_of(host, other) : pair_of(other, host)).rate);
    return rates;
}

/// The parameters between and inside leaves of a grid; empty where nobody needs them.
class LeafPairs {
public:
    LeafPairs(const GridView& view, const std::string& source)
        : pairs_(view.leaves().size(), view.leaves().size()) {
        const auto& leaves = view.leaves();
        for (std::size_t from = 0; from < leaves.size(); ++from)
            for (std::size_t to = 0; to < leaves.size(); ++to)
                if (from != to || leaves[from].cluster->size > 1)
                    pairs_(from, to) = pair(view, from, to, source);
    }
    [[nodiscard]] const Pair& operator()(std::size_t from, std::size_t to) const {
        return *pairs_(from, to);
    }

private:
    static Pair pair(const GridView& view, std::size_t from, std::size_t to,
                     const std::string& source) {
        const std::string& first = view.leaves()[from].cluster->name;
        const std::string& second = view.leaves()[to].cluster->name;
        const std::string field = from == to ? fmt::format("cluster '{}'", first)
                                             : fmt::format("'{}' to '{}'", first, second);
        const PLogP* link = view.link(from, to);
        if (link == nullptr)
            throw InputError(source, field,
                             from == to ? "local is needed: latency and gap between its hosts"
                                        : "latency or gap is not known");
        const auto rate = rate_of(link->gap);
        if (!rate)
            throw InputError(source, field,
                             "its gap does not grow with the size, so that there is no rate");
        return {latency_of(*link, *rate), *rate};
    }

    Matrix<std::optional<Pair>> pairs_;
};

Topology from_grid(const GridNetwork& grid, const std::string& source) {
    const GridView view(grid);
    Builder builder(source);
    std::vector<std::size_t> leaf_of;
    for (std::size_t leaf = 0; leaf < view.leaves().size(); ++leaf) {
        const GridView::Leaf& place = view.leaves()[leaf];
        const std::string site =
            place.path.size() > 1 ? grid.clusters[place.path.front()].name : std::string();
        for (std::size_t node = 0; node < place.cluster->size; ++node) {
            builder.add_renamed_host({view.name_of({leaf, node}), place.cluster->name, site});
            leaf_of.push_back(leaf);
        }
    }
    const LeafPairs pairs(view, source);
    const auto pair_of = [&](std::size_t from, std::size_t to) {
        return pairs(leaf_of[from], leaf_of[to]);
    };
    std::vector<std::uint32_t> shared;
    for (const auto& capacity : view.shared())
        shared.push_back(add_queue(builder, capacity.name, capacity.capacity));
    const auto shared_of = [&](std::size_t from, std::size_t to) {
        std::vector<std::uint32_t> crossed;
        for (std::size_t s = 0; s < shared.size(); ++s)
            if (view.shared()[s].pairs(leaf_of[from], leaf_of[to]) != 0)
                crossed.push_back(shared[s]);
        return crossed;
    };
    const std::size_t size = leaf_of.size();
    lay_pairs(builder, greatest(size, true, pair_of), greatest(size, false, pair_of), pair_of,
              shared_of);
    return std::move(builder).finish();
}

Topology from_pairwise(const PairwiseNetwork& network, const std::string& source) {
    Builder builder(source);
    for (const std::string& name : network.nodes) builder.add_renamed_host({name, name, ""});
    const auto pair_of = [&](std::size_t from, std::size_t to) {
        if (!network.startup(from, to) || !network.bandwidth(from, to))
            throw InputError(source,
                             fmt::format("'{}' to '{}'", network.nodes[from], network.nodes[to]),
                             "start-up or bandwidth is not known");
        return Pair{*network.startup(from, to), *network.bandwidth(from, to)};
    };
    const std::size_t size = network.size();
    const auto nothing_shared = [](std::size_t, std::size_t) {
        return std::vector<std::uint32_t>{};
    };
    lay_pairs(builder, network.egress.empty() ? greatest(size, true, pair_of) : network.egress,
              network.ingress.empty() ? greatest(size, false, pair_of) : network.ingress, pair_of,
              nothing_shared);
    return std::move(builder).finish();
}

/// The queues of links, made when the first path crosses them.
class LinkQueues {
public:
    LinkQueues(const LinksNetwork& network, Builder& builder)
        : network_(network), builder_(builder) {}

    /// What a path from host to host crosses where it takes this link.
    std::uint32_t queue(std::size_t number, std::size_t from, std::size_t to) {
        const LinksNetwork::Link& link = network_.links[number];
        if (link.kind != LinksNetwork::Kind::backbone) {
            const auto known = shared_.find(number);
            if (known != shared_.end()) return known->second;
            return shared_[number] = add_queue(builder_, link.name, link.bandwidth);
        }
        const auto& hosts = builder_.topology().hosts;
        // Each path has the full bandwidth of a backbone.
        return add_queue(builder_,
                         fmt::format("{}: {} -> {}", link.name, hosts[from].name, hosts[to].name),
                         link.bandwidth);
    }

private:
    const LinksNetwork& network_;
    Builder& builder_;
    std::map<std::size_t, std::uint32_t> shared_;
};

/// The routes of a network, and complaints about them with the file's name.
auto routes_of(const LinksNetwork& network, const std::vector<std::size_t>& hosts,
               const std::string& source) {
    try {
        return network::routes(network, hosts);
    } catch (const InputError& error) {
        throw InputError(source, "links", error.what());
    }
}

Topology from_links(const LinksNetwork& network, const std::string& source) {
    Builder builder(source);
    const auto hosts = network.hosts();
    if (hosts.empty())
        throw InputError(source, "nodes", "none has a cycle_time, so that none is a host");
    for (const std::size_t host : hosts) {
        const std::string& name = network.nodes[host].name;
        builder.add_renamed_host({name, name, ""});
    }
    builder.lay_paths();
    const auto paths = routes_of(network, hosts, source);
    LinkQueues queues(network, builder);
    for (std::size_t from = 0; from < hosts.size(); ++from)
        for (std::size_t to = 0; to < hosts.size(); ++to) {
            if (from == to) continue;
            Path& path = builder.path(from, to);
            path.latency =
                Seconds(network.nodes[hosts[from]].startup + network.nodes[hosts[to]].startup);
            for (const std::size_t link : paths[from][to]) {
                path.latency += network.links[link].latency;
                path.before.push_back(queues.queue(link, from, to));
            }
        }
    return std::move(builder).finish();
}

}  // namespace

Topology from_network(const network::Network& network, const std::string& source) {
    if (const auto* grid = network.grid()) return from_grid(*grid, source);
    if (const auto* pairwise = network.pairwise()) return from_pairwise(*pairwise, source);
    if (const auto* links = network.links()) return from_links(*links, source);
    throw InputError(source, "model",
                     "'sender' says nothing of latencies and rates; grid, pairwise or links was "
                     "expected");
}

}  // namespace espalier::testbed
