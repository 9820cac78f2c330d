#include "network/grid_rates.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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

/// What every message takes stays: what the shortest one does, unless noise let a longer one take
/// less.
CostTable faster(const CostTable& gap, double times) {
    const Seconds least = gap.is_constant()
                              ? Seconds(0)
                              : std::ranges::min(gap.entries(), {}, &CostTable::Entry::time).time;
    std::vector<CostTable::Entry> entries(gap.entries().begin(), gap.entries().end());
    for (CostTable::Entry& entry : entries) entry.time = least + (entry.time - least) / times;
    return CostTable(std::move(entries));
}

CostTable plus(const CostTable& latency, Seconds later) {
    std::vector<CostTable::Entry> entries(latency.entries().begin(), latency.entries().end());
    for (CostTable::Entry& entry : entries) entry.time = std::max(entry.time + later, Seconds(0));
    return CostTable(std::move(entries));
}

/// Of a grid that may be constant.
auto& link_of(auto& grid, const GridRate& rate) {
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

RateName named(const GridRate& rate, const GridNetwork& grid) {
    RateName name{rate.kind, {}, {}, {}};
    const GridNetwork* stated = &grid;
    for (const std::size_t cluster : rate.grid) {
        name.grid.push_back(stated->clusters[cluster].name);
        stated = stated->clusters[cluster].grid();
    }
    name.name = rate.kind == GridRate::Kind::shared ? stated->shared[rate.index].name
                                                    : stated->clusters[rate.index].name;
    if (rate.kind == GridRate::Kind::link) name.to = stated->clusters[rate.to].name;
    return name;
}

std::optional<GridRate> find_rate(const RateName& name, const GridNetwork& grid) {
    for (const GridRate& rate : rates_of(grid))
        if (named(rate, grid) == name) return rate;
    return std::nullopt;
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

BytesPerSecond value_of(const GridRate& rate, const GridNetwork& grid) {
    const GridNetwork& stated = stating(grid, rate.grid);
    switch (rate.kind) {
        case GridRate::Kind::shared:
            return stated.shared[rate.index].capacity;
        case GridRate::Kind::egress:
            return *stated.clusters[rate.index].egress;
        case GridRate::Kind::ingress:
            return *stated.clusters[rate.index].ingress;
        case GridRate::Kind::link:
        case GridRate::Kind::local:
            break;
    }
    const std::span<const CostTable::Entry> entries = link_of(stated, rate).gap.entries();
    if (entries.size() == 1) return Bytes(1) / entries.front().time;
    return (entries.back().size - entries.front().size) /
           (entries.back().time - entries.front().time);
}

Seconds latency_of(const GridRate& link, const GridNetwork& grid) {
    return link_of(stating(grid, link.grid), link).latency(Bytes(1));
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

GridNetwork with_later(const GridNetwork& grid, const GridRate& link, Seconds later) {
    return changed(grid, link.grid, [&](GridNetwork& stated) {
        PLogP& costs = *stated.links(link.index, link.to);
        costs.latency = plus(costs.latency, later);
    });
}

GridNetwork with_change(const GridNetwork& grid, const GridChange& change) {
    GridNetwork after = change.times == 1 ? grid : with_rate(grid, change.rate, change.times);
    return change.later == Seconds(0) ? after : with_later(after, change.rate, change.later);
}

void add_change(std::vector<GridChange>& changes, const GridChange& change) {
    const auto same = std::ranges::find(changes, change.rate, &GridChange::rate);
    if (same == changes.end()) {
        changes.push_back(change);
    } else {
        same->times *= change.times;
        same->later += change.later;
    }
}

std::string in_words(const std::vector<GridChange>& changes, const GridNetwork& grid) {
    std::vector<std::string> words;
    for (const GridChange& change : changes) {
        const std::string name = name_of(change.rate, grid);
        if (change.times != 1)
            words.push_back(fmt::format("{} carries {:.2g} times as much", name, change.times));
        if (change.later != Seconds(0))
            words.push_back(fmt::format("{} takes {} {}", name,
                                        format_seconds(Seconds(std::abs(change.later.value))),
                                        change.later.value > 0 ? "longer" : "less"));
    }
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace espalier::network
