#include "directory/assemble_grid.hpp"

#include "core/statistics.hpp"
#include "network/cluster_names.hpp"
#include "network/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace espalier::directory {

namespace {

using network::CostTable;
using network::PLogP;
using Members = std::vector<std::vector<std::size_t>>;

std::vector<std::size_t> cluster_of_nodes(const Members& clusters, std::size_t nodes) {
    std::vector<std::size_t> cluster_of(nodes);
    for (std::size_t c = 0; c < clusters.size(); ++c)
        for (const std::size_t node : clusters[c]) cluster_of[node] = c;
    return cluster_of;
}

/// Whether these are the two directions of one pair.
bool is_both_ways(const SharedLink& link) {
    return link.pairs.size() == 2 && link.pairs[0].first == link.pairs[1].second &&
           link.pairs[0].second == link.pairs[1].first;
}

/// The costs that are known inside each of the clusters.
class Insides {
public:
    Insides(const KnownCosts& known, const SharedLinks& shared, const Members& clusters)
        : cluster_of_(cluster_of_nodes(clusters, known.nodes.size())), insides_(clusters.size()) {
        for (const auto& [ends, costs] : known.pairs)
            if (Inside* inside = find(ends); inside != nullptr && ends.first != ends.second)
                (costs.has_rate() ? inside->rates : inside->lacks) = true;
        for (const SharedLink& link : shared.links)
            for (const auto& ends : link.pairs)
                if (Inside* inside = find(ends); inside != nullptr && !is_both_ways(link))
                    inside->shares = true;
    }

    /// Whether its nodes are better told apart: what one of its pairs has can be lent to the
    /// others, but not what pairs share.
    [[nodiscard]] bool falls_apart(std::size_t cluster) const {
        const Inside& inside = insides_[cluster];
        return !inside.rates || (inside.shares && !inside.lacks);
    }

private:
    struct Inside {
        bool rates = false;   ///< some pair has a rate of its own
        bool lacks = false;   ///< some pair has none
        bool shares = false;  ///< some pair shares a link
    };

    Inside* find(const std::pair<std::size_t, std::size_t>& ends) {
        const std::size_t cluster = cluster_of_[ends.first];
        return cluster == cluster_of_[ends.second] ? &insides_[cluster] : nullptr;
    }

    std::vector<std::size_t> cluster_of_;
    std::vector<Inside> insides_;
};

/// Clusters by latency, but those that fall apart.
Members find_clusters(const KnownCosts& known, const SharedLinks& shared, double tolerance) {
    const std::size_t size = known.nodes.size();
    network::Metric metric{known.nodes, Matrix<std::optional<double>>(size, size)};
    for (const auto& [ends, costs] : known.pairs)
        if (costs.latency)
            metric.distance(ends.first, ends.second) =
                costs.distance.value_or(costs.latency->entries().front().time).value;
    const Members found = network::partition(metric, tolerance).clusters;
    const Insides insides(known, shared, found);
    Members clusters;
    for (std::size_t c = 0; c < found.size(); ++c) {
        if (found[c].size() == 1 || !insides.falls_apart(c)) {
            clusters.push_back(found[c]);
            continue;
        }
        for (const std::size_t node : found[c]) clusters.push_back({node});
    }
    std::sort(clusters.begin(), clusters.end());
    return clusters;
}

CostTable stretched(const CostTable& table, double factor) {
    std::vector<CostTable::Entry> entries(table.entries().begin(), table.entries().end());
    for (CostTable::Entry& entry : entries) entry.time = factor * entry.time;
    return CostTable(std::move(entries));
}

/// The best known costs between two clusters, or inside one, while its pairs are gone through in
/// order.
class LinkChoice {
public:
    void add(const PairCosts& costs) {
        if (costs.latency) latencies_.push_back(costs.latency->entries().front().time.value);
        if (costs.spread) spreads_.push_back(*costs.spread);
        const bool better = costs.has_rate() && (best_ == nullptr || rank(costs) > rank(*best_));
        if (better) best_ = &costs;
    }

    [[nodiscard]] std::optional<PLogP> link() const {
        if (best_ == nullptr || latencies_.empty()) return std::nullopt;
        const CostTable latency =
            best_->latency ? *best_->latency : CostTable(Seconds(percentile(latencies_, 50)));
        return PLogP{latency, *best_->gap_or_rate(),
                     spreads_.empty() ? std::nullopt : std::optional(percentile(spreads_, 50))};
    }

    /// The link while as much comes in the opposite direction.
    [[nodiscard]] std::optional<PLogP> link_both_ways() const {
        auto link = this->link();
        if (link && best_->both_ways > 1) link->gap = stretched(link->gap, best_->both_ways);
        return link;
    }

private:
    [[nodiscard]] static std::tuple<bool, Time> rank(const PairCosts& costs) {
        const bool table = costs.gap && (costs.gap_sizes > 1 || costs.gap->is_constant());
        return {table, costs.rate_at};
    }

    std::vector<double> latencies_;
    std::vector<double> spreads_;
    const PairCosts* best_ = nullptr;
};

/// `c0` of nodes c0-0, c0-1, …, which is how a grid names nodes that are only counted.
std::optional<std::string> numbered_name(const std::vector<std::string>& nodes) {
    const std::string& first = nodes.front();
    if (first.size() < 3 || !first.ends_with("-0")) return std::nullopt;
    const std::string name = first.substr(0, first.size() - 2);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i] != fmt::format("{}-{}", name, i)) return std::nullopt;
    return name;
}

/// Whether a node of another cluster is called `name-…`, too.
bool is_prefix_elsewhere(const std::string& name, const std::vector<std::string>& own,
                         const std::vector<std::string>& all) {
    const auto alike = [&](const std::vector<std::string>& nodes) {
        return std::count_if(nodes.begin(), nodes.end(), [&](const std::string& node) {
            return node == name || node.starts_with(name + "-");
        });
    };
    return alike(all) > alike(own);
}

std::vector<network::Cluster> make_clusters(const KnownCosts& known, const Members& members) {
    std::vector<std::vector<std::string>> nodes_of;
    for (const auto& cluster : members) {
        auto& nodes = nodes_of.emplace_back();
        for (const std::size_t node : cluster) nodes.push_back(known.nodes[node]);
    }
    const std::vector<std::string> names = network::name_clusters(nodes_of);
    std::vector<network::Cluster> clusters;
    for (std::size_t c = 0; c < members.size(); ++c) {
        network::Cluster cluster;
        cluster.name = names[c];
        cluster.size = members[c].size();
        const auto numbered = numbered_name(nodes_of[c]);
        if (numbered && !is_prefix_elsewhere(*numbered, nodes_of[c], known.nodes))
            cluster.name = *numbered;
        else
            cluster.nodes = nodes_of[c];
        clusters.push_back(std::move(cluster));
    }
    return clusters;
}

class GridMaker {
public:
    GridMaker(const KnownCosts& known, const SharedLinks& shared, double tolerance,
              std::vector<std::string>& warnings)
        : known_(known),
          warnings_(warnings),
          members_(find_clusters(known, shared, tolerance)),
          cluster_of_(cluster_of_nodes(members_, known.nodes.size())) {
        grid_.clusters = make_clusters(known, members_);
        grid_.links = Matrix<std::optional<PLogP>>(members_.size(), members_.size());
    }

    void fill_links() {
        std::map<std::pair<std::size_t, std::size_t>, LinkChoice> choices;
        for (const auto& [ends, costs] : known_.pairs) {
            if (ends.first == ends.second)
                within_node(ends.first, costs);
            else
                choices[{cluster_of_[ends.first], cluster_of_[ends.second]}].add(costs);
        }
        std::size_t without_latency = 0;
        for (const auto& [ends, choice] : choices) {
            const bool inside = ends.first == ends.second;
            const auto link = inside ? choice.link_both_ways() : choice.link();
            if (!inside) {
                grid_.links(ends.first, ends.second) = link;
            } else if (link) {
                grid_.clusters[ends.first].inside = network::Cluster::Local{*link};
            }
            if (!link) ++without_latency;
        }
        if (without_latency > 0)
            warnings_.push_back(fmt::format(
                "{} links between clusters are unknown, because latency or rate is missing",
                without_latency));
    }

    void add_shared(const SharedLinks& shared) {
        std::size_t inside = 0;
        for (const SharedLink& link : shared.links) {
            network::SharedCapacity capacity{"", BytesPerSecond(link.capacity), {}};
            bool between = true;
            for (const auto& [from, to] : link.pairs) {
                capacity.pairs.emplace_back(cluster_of_[from], cluster_of_[to]);
                between = between && cluster_of_[from] != cluster_of_[to];
            }
            if (between)
                add(std::move(capacity));
            else if (!is_both_ways(link))
                ++inside;
        }
        if (inside > 0)
            warnings_.push_back(fmt::format(
                "{} shared links with pairs inside one cluster can't be told, and are left out",
                inside));
    }

    /// A node's total concerns all pairs of its cluster, where the cluster is that node.
    void add_totals() {
        std::size_t left_out = 0;
        for (std::size_t node = 0; node < known_.nodes.size(); ++node) {
            const std::size_t c = cluster_of_[node];
            for (const bool sends : {true, false}) {
                const auto& total = (sends ? known_.egress : known_.ingress)[node];
                if (!total) continue;
                if (members_[c].size() > 1 || members_.size() == 1) {
                    ++left_out;
                    continue;
                }
                network::SharedCapacity capacity{
                    known_.nodes[node] + (sends ? " egress" : " ingress"), *total, {}};
                for (std::size_t other = 0; other < members_.size(); ++other)
                    if (other != c)
                        capacity.pairs.emplace_back(sends ? c : other, sends ? other : c);
                grid_.shared.push_back(std::move(capacity));
            }
        }
        if (left_out > 0)
            warnings_.push_back(fmt::format(
                "the totals of {} nodes in clusters of several are left out", left_out));
    }

    [[nodiscard]] network::GridNetwork result() && { return std::move(grid_); }

private:
    void within_node(std::size_t node, const PairCosts& costs) {
        network::Cluster& cluster = grid_.clusters[cluster_of_[node]];
        LinkChoice choice;
        choice.add(costs);
        if (!cluster.within_node) cluster.within_node = choice.link();
    }

    /// Adds a capacity; of several for the same pairs of clusters the greatest counts.
    void add(network::SharedCapacity capacity) {
        auto& pairs = capacity.pairs;
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        for (network::SharedCapacity& other : grid_.shared) {
            if (other.pairs != pairs) continue;
            other.capacity = std::max(other.capacity, capacity.capacity);
            return;
        }
        capacity.name = name_for(capacity);
        grid_.shared.push_back(std::move(capacity));
    }

    /// A name made of the clusters that the capacity joins, if these are few: `a-b`.
    [[nodiscard]] std::string name_for(const network::SharedCapacity& capacity) const {
        std::set<std::size_t> joined;
        for (const auto& [from, to] : capacity.pairs) joined.insert({from, to});
        std::vector<std::string> names;
        for (const std::size_t c : joined) names.push_back(grid_.clusters[c].name);
        const std::string name = names.size() <= 3 ? fmt::format("{}", fmt::join(names, "-")) : "";
        const bool taken = std::any_of(grid_.shared.begin(), grid_.shared.end(),
                                       [&](const auto& other) { return other.name == name; });
        return name.empty() || taken ? fmt::format("shared-{}", grid_.shared.size()) : name;
    }

    const KnownCosts& known_;
    std::vector<std::string>& warnings_;
    Members members_;
    std::vector<std::size_t> cluster_of_;
    network::GridNetwork grid_;
};

}  // namespace

network::GridNetwork assemble_grid(const KnownCosts& known, const SharedLinks& shared,
                                   double tolerance, std::vector<std::string>& warnings) {
    GridMaker maker(known, shared, tolerance, warnings);
    maker.fill_links();
    maker.add_shared(shared);
    maker.add_totals();
    return std::move(maker).result();
}

}  // namespace espalier::directory
