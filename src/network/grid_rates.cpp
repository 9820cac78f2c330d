#include "network/grid_rates.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>

namespace espalier::network {

namespace {

using Change = std::function<void(GridNetwork&)>;

/// A copy that shares all nested grids but those on the way to the changed one.
GridNetwork changed(const GridNetwork& grid, std::span<const std::size_t> path,
                    const Change& change) {
    GridNetwork copy = grid;
    if (path.empty()) {
        change(copy);
        return copy;
    }
    Cluster& cluster = copy.clusters[path.front()];
    cluster.inside =
        std::make_shared<const GridNetwork>(changed(*cluster.grid(), path.subspan(1), change));
    return copy;
}

const GridNetwork& stating(const GridNetwork& grid, std::span<const std::size_t> path) {
    return path.empty() ? grid : stating(*grid.clusters[path.front()].grid(), path.subspan(1));
}

void add_rates(const GridNetwork& grid, std::vector<std::size_t>& path,
               std::vector<GridRate>& rates) {
    using Kind = GridRate::Kind;
    const auto add = [&](Kind kind, std::size_t index, std::size_t to = 0) {
        rates.push_back({kind, path, index, to});
    };
    for (std::size_t i = 0; i < grid.shared.size(); ++i) add(Kind::shared, i);
    for (std::size_t i = 0; i < grid.size(); ++i) {
        for (std::size_t j = 0; j < grid.size(); ++j)
            if (i != j && grid.links(i, j)) add(Kind::link, i, j);
        const Cluster& cluster = grid.clusters[i];
        if (cluster.local() != nullptr) add(Kind::local, i);
        if (cluster.egress) add(Kind::egress, i);
        if (cluster.ingress) add(Kind::ingress, i);
        if (cluster.grid() == nullptr) continue;
        path.push_back(i);
        add_rates(*cluster.grid(), path, rates);
        path.pop_back();
    }
}

/// What the shortest message takes stays.
CostTable faster(const CostTable& gap, double times) {
    const Seconds least = gap.is_constant() ? Seconds(0) : gap.entries().front().time;
    std::vector<CostTable::Entry> entries(gap.entries().begin(), gap.entries().end());
    for (CostTable::Entry& entry : entries) entry.time = least + (entry.time - least) / times;
    return CostTable(std::move(entries));
}

CostTable plus(const CostTable& latency, Seconds later) {
    std::vector<CostTable::Entry> entries(latency.entries().begin(), latency.entries().end());
    for (CostTable::Entry& entry : entries) entry.time = std::max(entry.time + later, Seconds(0));
    return CostTable(std::move(entries));
}

PLogP& link_of(GridNetwork& grid, const GridRate& rate) {
    if (rate.kind == GridRate::Kind::link) return *grid.links(rate.index, rate.to);
    return std::get<Cluster::Local>(grid.clusters[rate.index].inside).link;
}

}  // namespace

std::vector<GridRate> rates_of(const GridNetwork& grid) {
    std::vector<GridRate> rates;
    std::vector<std::size_t> path;
    add_rates(grid, path, rates);
    return rates;
}

bool is_used(const GridRate& rate, const GridView& view, std::size_t from, std::size_t to) {
    const std::vector<std::size_t>& sender = view.leaves()[from].path;
    const std::vector<std::size_t>& receiver = view.leaves()[to].path;
    const std::size_t depth = rate.grid.size();
    const auto lies_in = [&](const std::vector<std::size_t>& path) {
        return path.size() > depth && std::equal(rate.grid.begin(), rate.grid.end(), path.begin());
    };
    const bool sends = lies_in(sender);
    const bool receives = lies_in(receiver);
    switch (rate.kind) {
        case GridRate::Kind::shared: {
            if (!sends || !receives) return false;
            const auto& pairs = stating(view.grid(), rate.grid).shared[rate.index].pairs;
            return std::ranges::find(pairs, std::pair(sender[depth], receiver[depth])) !=
                   pairs.end();
        }
        case GridRate::Kind::link:
            return sends && receives && sender[depth] == rate.index && receiver[depth] == rate.to;
        case GridRate::Kind::local:
            return sends && receives && sender[depth] == rate.index &&
                   receiver[depth] == rate.index;
        case GridRate::Kind::egress:
            return sends && sender[depth] == rate.index;
        case GridRate::Kind::ingress:
            return receives && receiver[depth] == rate.index;
    }
    return false;
}

GridRate link_between(const GridView& view, std::size_t from, std::size_t to) {
    const std::vector<std::size_t>& sender = view.leaves()[from].path;
    const std::vector<std::size_t>& receiver = view.leaves()[to].path;
    const auto [parts, other] = std::ranges::mismatch(sender, receiver);
    return {GridRate::Kind::link, {sender.begin(), parts}, *parts, *other};
}

std::string name_of(const GridRate& rate, const GridNetwork& grid) {
    const GridNetwork& stated = stating(grid, rate.grid);
    if (rate.kind == GridRate::Kind::shared) return stated.shared[rate.index].name;
    const std::string& name = stated.clusters[rate.index].name;
    switch (rate.kind) {
        case GridRate::Kind::link:
            return name + " to " + stated.clusters[rate.to].name;
        case GridRate::Kind::egress:
            return "what nodes of " + name + " send";
        case GridRate::Kind::ingress:
            return "what nodes of " + name + " receive";
        default:
            return "inside " + name;
    }
}

GridNetwork with_rate(const GridNetwork& grid, const GridRate& rate, double times) {
    return changed(grid, rate.grid, [&](GridNetwork& stated) {
        using Kind = GridRate::Kind;
        if (rate.kind == Kind::shared) {
            BytesPerSecond& capacity = stated.shared[rate.index].capacity;
            capacity = capacity * times;
        } else if (rate.kind == Kind::egress || rate.kind == Kind::ingress) {
            Cluster& cluster = stated.clusters[rate.index];
            auto& total = rate.kind == Kind::egress ? cluster.egress : cluster.ingress;
            total = *total * times;
        } else {
            PLogP& link = link_of(stated, rate);
            link.gap = faster(link.gap, times);
        }
    });
}

GridNetwork with_later(const GridNetwork& grid, const GridRate& link, Seconds there, Seconds back) {
    return changed(grid, link.grid, [&](GridNetwork& stated) {
        PLogP& forth = *stated.links(link.index, link.to);
        forth.latency = plus(forth.latency, there);
        if (auto& reverse = stated.links(link.to, link.index))
            reverse->latency = plus(reverse->latency, back);
    });
}

}  // namespace espalier::network
