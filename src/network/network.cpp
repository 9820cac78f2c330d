#include "network/network.hpp"

#include "core/error.hpp"
#include "core/json_reader.hpp"
#include "network/links_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace espalier::network {

namespace {

/// `-7`, the end of the name of one of `count` nodes that have numbers for names.
std::optional<std::size_t> numbered(std::string_view ending, std::size_t count) {
    if (!ending.starts_with('-')) return std::nullopt;
    const std::string_view digits = ending.substr(1);
    std::size_t index = 0;
    const auto [rest, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (fault != std::errc{} || rest != digits.data() + digits.size() || index >= count ||
        digits != std::to_string(index))
        return std::nullopt;
    return index;
}

/// Complains in the name of one source.
class Checker {
public:
    explicit Checker(const std::string& source) : source_(source) {}

    void require(bool holds, const std::string& field, const std::string& problem) const {
        if (!holds) throw InputError(source_, field, problem);
    }
    void unique(const std::string& name, const std::string& field) {
        require(!name.empty(), field, "an empty name");
        require(names_.insert(name).second, field,
                fmt::format("the name '{}' is used twice", name));
    }
    template <typename T>
    void square(const Matrix<T>& matrix, std::size_t size, const std::string& field) const {
        require(matrix.rows() == size && matrix.columns() == size, field,
                fmt::format("{} x {} was expected, not {} x {}", size, size, matrix.rows(),
                            matrix.columns()));
    }

    void operator()(const SenderNetwork& network) {
        require(!network.classes.empty(), "nodes", "no node");
        for (const auto& group : network.classes) {
            const std::string field = group.listed_as_node ? "nodes" : "classes";
            unique(group.name, field);
            require(std::isfinite(group.transmission_time) && group.transmission_time > 0, field,
                    fmt::format("'{}' has no positive transmission_time", group.name));
            require(group.count > 0, field, fmt::format("class '{}' is empty", group.name));
        }
    }

    void operator()(const PairwiseNetwork& network) {
        const std::size_t size = network.nodes.size();
        require(size > 0, "nodes", "no node");
        for (const auto& name : network.nodes) unique(name, "nodes");
        square(network.startup, size, "startup_s");
        square(network.bandwidth, size, "bandwidth_Bps");
        caps(network.egress, size, "egress_Bps");
        caps(network.ingress, size, "ingress_Bps");
        if (network.spread.rows() > 0) square(network.spread, size, "spread");
        computes(network.cycle_times, size, "nodes");
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j)
                if (const auto& rate = network.bandwidth(i, j); i != j && rate)
                    require(std::isfinite(rate->value) && rate->value > 0,
                            fmt::format("bandwidth_Bps[{}][{}]", i, j),
                            "a bandwidth must be positive");
    }

    void operator()(const GridNetwork& grid) {
        level(grid, "");
        for (const auto& name : names_)
            require(!is_numbered(name), "clusters",
                    fmt::format("the name '{}' is used twice", name));
    }

    void operator()(const LinksNetwork& network) const { check_links(network, source_); }

private:
    void caps(const std::vector<BytesPerSecond>& rates, std::size_t size,
              const std::string& field) const {
        require(rates.empty() || rates.size() == size, field,
                fmt::format("{} entries were expected, not {}", size, rates.size()));
        for (const auto rate : rates)
            require(rate.value > 0, field, "a bandwidth must be positive");
    }

    /// Cycle times of `size` nodes, or of none.
    void computes(const std::vector<double>& times, std::size_t size,
                  const std::string& field) const {
        require(times.empty() || times.size() == size, field,
                fmt::format("{} cycle times were expected, not {}", size, times.size()));
        for (const double time : times)
            require(std::isfinite(time) && time > 0, field, "a cycle time must be positive");
    }

    /// Cluster names are unique in their level, node names in the whole network.
    void level(const GridNetwork& grid, const std::string& prefix) {
        require(!grid.clusters.empty(), prefix + "clusters", "no cluster");
        square(grid.links, grid.clusters.size(), prefix + "latency_s");
        std::unordered_set<std::string> cluster_names;
        for (std::size_t c = 0; c < grid.clusters.size(); ++c) {
            const Cluster& cluster = grid.clusters[c];
            const std::string field = fmt::format("{}clusters[{}]", prefix, c);
            require(!cluster.name.empty(), field, "an empty name");
            require(cluster_names.insert(cluster.name).second, field,
                    fmt::format("the name '{}' is used twice", cluster.name));
            require(cluster.size > 0, field, fmt::format("cluster '{}' is empty", cluster.name));
            require(cluster.nodes.empty() || cluster.nodes.size() == cluster.size, field,
                    "its size and its nodes disagree");
            for (const auto& node : cluster.nodes) unique(node, field + ".nodes");
            for (const auto& cap : {cluster.egress, cluster.ingress})
                require(!cap || (std::isfinite(cap->value) && cap->value > 0), field,
                        "what a node can send or receive must be positive");
            computes(cluster.cycle_times, cluster.grid() != nullptr ? 0 : cluster.size,
                     field + ".cycle_times");
            if (const GridNetwork* inner = cluster.grid())
                level(*inner, field + ".grid.");
            else if (cluster.nodes.empty())
                require(numbered_.emplace(cluster.name, cluster.size).second, field,
                        fmt::format("the name '{}-0' is used twice", cluster.name));
        }
        std::unordered_set<std::string> shared_names;
        for (std::size_t s = 0; s < grid.shared.size(); ++s) {
            const SharedCapacity& shared = grid.shared[s];
            const std::string field = fmt::format("{}shared[{}]", prefix, s);
            require(shared_names.insert(shared.name).second, field,
                    fmt::format("the name '{}' is used twice", shared.name));
            require(shared.capacity.value > 0, field, "a capacity must be positive");
            for (const auto& [from, to] : shared.pairs)
                require(from < grid.size() && to < grid.size() && from != to, field,
                        "a pair names clusters that do not exist");
        }
    }

    /// Whether a cluster whose nodes are only counted has a node of this name.
    [[nodiscard]] bool is_numbered(std::string_view name) const {
        const std::size_t dash = name.rfind('-');
        if (dash == std::string_view::npos) return false;
        const auto group = numbered_.find(std::string(name.substr(0, dash)));
        if (group == numbered_.end()) return false;
        return numbered(name.substr(dash), group->second).has_value();
    }

    const std::string& source_;
    std::unordered_set<std::string> names_;
    /// The clusters whose nodes have numbers for names, and how many they are.
    std::unordered_map<std::string, std::size_t> numbered_;
};

}  // namespace

std::size_t SenderNetwork::size() const {
    std::size_t total = 0;
    for (const Class& group : classes) total += group.count;
    return total;
}

const SenderNetwork::Class& SenderNetwork::class_of(std::size_t index) const {
    for (const Class& group : classes) {
        if (index < group.count) return group;
        index -= group.count;
    }
    throw std::out_of_range("no such sender");
}

std::string SenderNetwork::name_of(std::size_t index) const {
    for (const Class& group : classes) {
        if (index < group.count)
            return group.listed_as_node ? group.name : fmt::format("{}-{}", group.name, index);
        index -= group.count;
    }
    throw std::out_of_range("no such sender");
}

std::optional<std::size_t> SenderNetwork::find(std::string_view name) const {
    std::size_t first = 0;
    for (const Class& group : classes) {
        if (group.listed_as_node ? name == group.name : name.starts_with(group.name)) {
            if (group.listed_as_node) return first;
            if (const auto index = numbered(name.substr(group.name.size()), group.count))
                return first + *index;
        }
        first += group.count;
    }
    return std::nullopt;
}

std::optional<BytesPerSecond> PairwiseNetwork::usable_bandwidth(std::size_t from,
                                                                std::size_t to) const {
    std::optional<BytesPerSecond> rate = bandwidth(from, to);
    if (rate && !egress.empty()) rate = std::min(*rate, egress[from]);
    if (rate && !ingress.empty()) rate = std::min(*rate, ingress[to]);
    return rate;
}

const PLogP* Cluster::local() const {
    const auto* known = std::get_if<Local>(&inside);
    return known == nullptr ? nullptr : &known->link;
}

const GridNetwork* Cluster::grid() const {
    const auto* known = std::get_if<std::shared_ptr<const GridNetwork>>(&inside);
    return known == nullptr ? nullptr : known->get();
}

std::string Cluster::node_name(std::size_t index) const {
    if (const GridNetwork* inner = grid()) {
        for (const Cluster& cluster : inner->clusters) {
            if (index < cluster.size) return cluster.node_name(index);
            index -= cluster.size;
        }
        throw std::out_of_range("no such node");
    }
    return nodes.empty() ? fmt::format("{}-{}", name, index) : nodes.at(index);
}

std::vector<std::size_t> LinksNetwork::hosts() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].cycle_time) found.push_back(i);
    return found;
}

Network::Network(Model model, const std::string& source)
    : Network(std::move(model), nullptr, source) {}

Network::Network(Model model, Json measured, const std::string& source)
    : model_(std::move(model)), measured_(std::make_shared<const Json>(std::move(measured))) {
    std::visit(Checker(source), model_);
}

std::string_view Network::model_name() const {
    struct Name {
        std::string_view operator()(const SenderNetwork&) const { return "sender"; }
        std::string_view operator()(const PairwiseNetwork&) const { return "pairwise"; }
        std::string_view operator()(const GridNetwork&) const { return "grid"; }
        std::string_view operator()(const LinksNetwork&) const { return "links"; }
    };
    return std::visit(Name{}, model_);
}

std::size_t size(const Network& network) {
    if (const auto* links = network.links()) return links->hosts().size();
    if (const auto* sender = network.sender()) return sender->size();
    if (const auto* pairwise = network.pairwise()) return pairwise->size();
    return network.grid()->size();
}

std::string node_name(const Network& network, std::size_t index) {
    if (const auto* links = network.links()) return links->nodes[links->hosts().at(index)].name;
    if (const auto* sender = network.sender()) return sender->name_of(index);
    if (const auto* pairwise = network.pairwise()) return pairwise->nodes.at(index);
    return network.grid()->clusters.at(index).name;
}

}  // namespace espalier::network
