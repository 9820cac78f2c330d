#include "overview/overview.hpp"

#include "core/table.hpp"
#include "network/convert.hpp"
#include "network/grid_view.hpp"
#include "overview/known.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace espalier::overview {

namespace {

using network::GridNetwork;
using network::GridView;
using network::LinksNetwork;
using network::PairwiseNetwork;
using network::SenderNetwork;

using Cells = Matrix<std::optional<double>>;

std::optional<double> number(const auto& quantity) {
    return quantity ? std::optional(quantity->value) : std::nullopt;
}

std::pair<double, double> range_of(const std::vector<double>& values) {
    const auto [least, greatest] = std::ranges::minmax(values);
    return {least, greatest};
}

/// The indices of what is set.
std::vector<std::size_t> indices(const std::vector<char>& chosen) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] != 0) found.push_back(i);
    return found;
}

/// The groups that draw on a capacity, and the form of their pairs.
class Pairs {
public:
    explicit Pairs(const Matrix<char>& draws) : draws_(draws) {}

    void describe(Capacity& capacity) const {
        const std::size_t groups = draws_.rows();
        std::vector<char> sends(groups, 0);
        std::vector<char> receives(groups, 0);
        for (std::size_t i = 0; i < groups; ++i)
            for (std::size_t j = 0; j < groups; ++j) {
                if (i == j || draws_(i, j) == 0) continue;
                ++capacity.pairs;
                sends[i] = receives[j] = 1;
            }
        capacity.from = indices(sends);
        capacity.to = indices(receives);
        capacity.all_pairs = all(capacity.from, capacity.to);
        // Two groups that send to each other are two sides.
        if (capacity.from == capacity.to && (!capacity.all_pairs || capacity.from.size() == 2))
            find_sides(capacity);
    }

private:
    /// Whether each of some sends to each of others.
    [[nodiscard]] bool all(const std::vector<std::size_t>& from,
                           const std::vector<std::size_t>& to) const {
        return std::ranges::all_of(from, [&](std::size_t i) {
            return std::ranges::all_of(to,
                                       [&](std::size_t j) { return i == j || draws_(i, j) != 0; });
        });
    }

    /// Those who send to each other, as two sides, if each sends to all of the other side and none
    /// of its own.
    void find_sides(Capacity& capacity) const {
        std::vector<std::size_t> near;
        std::vector<std::size_t> far;
        for (const std::size_t i : capacity.from)
            (draws_(capacity.from.front(), i) == 0 ? near : far).push_back(i);
        if (!all(near, far) || !all(far, near) || capacity.pairs != 2 * near.size() * far.size())
            return;
        if (near.size() > far.size()) std::swap(near, far);
        capacity.from = std::move(near);
        capacity.to = std::move(far);
        capacity.both = capacity.all_pairs = true;
    }

    const Matrix<char>& draws_;
};

Capacity named_capacity(const std::string& name, BytesPerSecond rate) {
    Capacity capacity;
    capacity.name = name;
    capacity.rate = rate.value;
    return capacity;
}

Group named_group(const std::string& name, std::size_t nodes = 1) {
    Group group;
    group.name = name;
    group.nodes = nodes;
    return group;
}

struct Reader {
    Overview& overview;

    void operator()(const SenderNetwork& network) const {
        const bool listed =
            std::ranges::all_of(network.classes, &SenderNetwork::Class::listed_as_node);
        overview.noun = listed ? "node" : "class";
        overview.time_unit = network.time_unit;
        overview.nodes = network.size();
        for (const auto& members : network.classes) {
            Group group = named_group(members.name, members.count);
            group.send_time = members.transmission_time;
            overview.groups.push_back(std::move(group));
        }
    }

    void operator()(const PairwiseNetwork& network) const {
        overview.noun = "node";
        overview.nodes = network.size();
        make_cells(network.size());
        for (std::size_t i = 0; i < network.size(); ++i) {
            Group group = named_group(network.nodes[i]);
            if (!network.egress.empty()) group.egress = network.egress[i].value;
            if (!network.ingress.empty()) group.ingress = network.ingress[i].value;
            if (!network.cycle_times.empty())
                group.cycle_times = {network.cycle_times[i], network.cycle_times[i]};
            overview.groups.push_back(std::move(group));
            for (std::size_t j = 0; j < network.size(); ++j) {
                if (i == j) continue;
                overview.latencies(i, j) = number(network.startup(i, j));
                overview.rates(i, j) = number(network.usable_bandwidth(i, j));
            }
        }
    }

    void operator()(const GridNetwork& network) const {
        overview.noun = "cluster";
        const GridView view(network);
        const std::size_t size = view.leaves().size();
        overview.nodes = view.nodes();
        make_cells(size);
        for (std::size_t i = 0; i < size; ++i) {
            overview.groups.push_back(group_of(view, i));
            for (std::size_t j = 0; j < size; ++j) {
                const network::PLogP* link = view.link(i, j);
                if (link == nullptr) continue;
                overview.latencies(i, j) = link->latency(Bytes(1)).value;
                if (const Seconds gap = link->gap(large_message); gap.value > 0)
                    overview.rates(i, j) = (large_message / gap).value;
            }
        }
        for (const GridView::Shared& shared : view.shared()) {
            Capacity capacity = named_capacity(shared.name, shared.capacity);
            Pairs(shared.pairs).describe(capacity);
            if (capacity.pairs > 0) overview.capacities.push_back(std::move(capacity));
        }
    }

    void operator()(const LinksNetwork& network) const {
        (*this)(to_pairwise(network));
        overview.noun = "host";
        overview.time_unit = "";
        std::vector<std::size_t> vertex;
        std::size_t hosts = 0;
        for (const auto& node : network.nodes) {
            vertex.push_back(node.cycle_time ? hosts++ : overview.nodes + overview.routers.size());
            if (!node.cycle_time) overview.routers.push_back(node.name);
        }
        for (const auto& link : network.links)
            if (link.ends)
                overview.wires.push_back({link.name, vertex[link.ends->from], vertex[link.ends->to],
                                          link.bandwidth.value, link.latency.value});
        share_links(network);
    }

private:
    void make_cells(std::size_t size) const {
        overview.latencies = Cells(size, size);
        overview.rates = Cells(size, size);
    }

    /// Links that several pairs cross, and carry less for each then, those of most pairs first.
    void share_links(const LinksNetwork& network) const {
        const std::vector<std::size_t> hosts = network.hosts();
        const auto paths = network::routes(network, hosts);
        Matrix<char> sends(network.links.size(), hosts.size(), 0);
        Matrix<char> receives(network.links.size(), hosts.size(), 0);
        std::vector<std::size_t> pairs(network.links.size(), 0);
        for (std::size_t i = 0; i < hosts.size(); ++i)
            for (std::size_t j = 0; j < hosts.size(); ++j)
                for (const std::size_t link : paths[i][j]) {
                    sends(link, i) = receives(link, j) = 1;
                    ++pairs[link];
                }
        for (std::size_t id = 0; id < network.links.size(); ++id) {
            const auto& link = network.links[id];
            if (link.kind == LinksNetwork::Kind::backbone || pairs[id] < 2) continue;
            Capacity capacity = named_capacity(link.name, link.bandwidth);
            const auto row = [&](const Matrix<char>& ends) {
                return indices({ends.row(id).begin(), ends.row(id).end()});
            };
            capacity.from = row(sends);
            capacity.to = row(receives);
            capacity.pairs = pairs[id];
            overview.capacities.push_back(std::move(capacity));
        }
        std::ranges::stable_sort(overview.capacities, std::greater{}, &Capacity::pairs);
    }

    static Group group_of(const GridView& view, std::size_t leaf) {
        const network::Cluster& cluster = *view.leaves()[leaf].cluster;
        const auto& path = view.leaves()[leaf].path;
        Group group = named_group(cluster.name, cluster.size);
        if (path.size() > 1) group.site = view.grid().clusters[path.front()].name;
        group.egress = number(cluster.egress);
        group.ingress = number(cluster.ingress);
        if (cluster.within_node) group.within_node = cluster.within_node->latency(Bytes(1)).value;
        if (const auto* known = std::get_if<network::Cluster::KnownBroadcast>(&cluster.inside))
            group.broadcast = known->time.value;
        if (!cluster.cycle_times.empty()) group.cycle_times = range_of(cluster.cycle_times);
        return group;
    }
};

std::vector<std::string> names_of(const Overview& overview,
                                  const std::vector<std::size_t>& groups) {
    std::vector<std::string> names;
    for (const std::size_t group : groups) names.push_back(overview.groups[group].name);
    return names;
}

}  // namespace

Overview overview_of(const network::Network& network) {
    Overview overview;
    overview.model = network.model_name();
    std::visit(Reader{overview}, network.model());
    add_origin(overview, network);
    return overview;
}

std::vector<std::size_t> largest_groups(const Overview& overview, std::size_t most) {
    std::vector<std::size_t> order(overview.groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() <= most) return order;
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t g) { return overview.groups[g].nodes; });
    order.resize(most);
    std::ranges::sort(order);
    return order;
}

std::string plural(const Overview& overview) {
    return overview.noun + (overview.noun.ends_with('s') ? "es" : "s");
}

std::string who_shares(const Overview& overview, const Capacity& capacity) {
    constexpr std::size_t readable_names = 4;
    const std::size_t groups = overview.groups.size();
    const auto named = [&](const std::vector<std::size_t>& some) {
        return listed(names_of(overview, some), readable_names);
    };
    const bool apart = capacity.both || capacity.from != capacity.to;
    if (!capacity.all_pairs) {
        std::vector<std::size_t> ends;
        std::ranges::set_union(capacity.from, capacity.to, std::back_inserter(ends));
        return fmt::format("{} among {}", counted(capacity.pairs, "pair"), named(ends));
    }
    if (!apart)
        return capacity.from.size() == groups ? "all among themselves"
                                              : named(capacity.from) + " among themselves";
    const bool all = groups > 2 && capacity.from.size() + capacity.to.size() == groups;
    const bool others_send = all && capacity.from.size() > capacity.to.size();
    return fmt::format("{} to {}{}", others_send ? "all others" : named(capacity.from),
                       all && !others_send ? "all others" : named(capacity.to),
                       capacity.both ? " and back" : "");
}

Side side_of(const Capacity& capacity) {
    if (!capacity.all_pairs) return {};
    if (!capacity.both && capacity.from == capacity.to) return {capacity.from, true, true};
    const bool sends = capacity.from.size() <= capacity.to.size();
    return {sends ? capacity.from : capacity.to, sends || capacity.both, !sends || capacity.both};
}

}  // namespace espalier::overview
