#include "directory/statements.hpp"

#include "core/error.hpp"
#include "network/grid_view.hpp"

#include <fmt/format.h>

#include <utility>

namespace espalier::directory {

namespace {

using network::CostTable;
using network::GridView;
using network::PLogP;

class Stater {
public:
    Stater(Time at, const std::string& by) : at_(at), by_(by) {}

    void pairwise(const network::PairwiseNetwork& network) {
        said_.nodes = network.nodes;
        for (std::size_t i = 0; i < network.size(); ++i) {
            for (std::size_t j = 0; j < network.size(); ++j) {
                if (i == j) continue;
                const Pair pair{network.nodes[i], network.nodes[j]};
                if (const auto startup = network.startup(i, j))
                    add(pair, Quantity::latency, startup->value);
                if (const auto rate = network.bandwidth(i, j))
                    add(pair, Quantity::bandwidth, rate->value);
            }
        }
        for (std::size_t i = 0; i < network.egress.size(); ++i)
            add({network.nodes[i], ""}, Quantity::bandwidth, network.egress[i].value);
        for (std::size_t i = 0; i < network.ingress.size(); ++i)
            add({"", network.nodes[i]}, Quantity::bandwidth, network.ingress[i].value);
        leave_out_cycle_times(network.cycle_times.size());
    }

    void grid(const network::GridNetwork& grid) {
        const GridView view(grid);
        for (std::size_t node = 0; node < view.nodes(); ++node)
            said_.nodes.push_back(view.name_of(view.place_of(node)));
        for (std::size_t i = 0; i < view.leaves().size(); ++i) {
            inside(view.leaves()[i]);
            for (std::size_t j = 0; j < view.leaves().size(); ++j)
                if (const PLogP* link = view.link(i, j); i != j && link != nullptr)
                    add({coordinator(view, i), coordinator(view, j)}, *link);
        }
        for (const GridView::Shared& shared : view.shared()) share(view, shared);
        if (known_broadcasts_ > 0)
            said_.left_out.push_back(fmt::format(
                "known broadcast times (here {}) say nothing of pairs, and are left out",
                known_broadcasts_));
        std::size_t cycle_times = 0;
        for (const auto& leaf : view.leaves()) cycle_times += leaf.cluster->cycle_times.size();
        leave_out_cycle_times(cycle_times);
    }

    [[nodiscard]] Statements result() && { return std::move(said_); }

private:
    void leave_out_cycle_times(std::size_t count) {
        if (count == 0) return;
        said_.left_out.push_back(
            fmt::format("cycle times (here {}) say nothing of pairs, and are left out", count));
    }
    void add(Pair pair, Quantity quantity, double value, std::optional<Bytes> size = {},
             std::vector<Pair> meanwhile = {}) {
        said_.measurements.push_back(
            {at_, by_, std::move(pair), quantity, value, size, std::move(meanwhile)});
    }

    void add(const Pair& pair, const PLogP& link) {
        if (link.latency.is_constant())
            add(pair, Quantity::latency, link.latency.entries().front().time.value);
        else
            add(pair, Quantity::latency, link.latency);
        if (link.gap.is_constant())
            add(pair, Quantity::gap, link.gap.entries().front().time.value, Bytes(0));
        else
            add(pair, Quantity::gap, link.gap);
    }

    void add(const Pair& pair, Quantity quantity, const CostTable& table) {
        for (const auto& [size, time] : table.entries()) add(pair, quantity, time.value, size);
    }

    [[nodiscard]] static std::string coordinator(const GridView& view, std::size_t leaf) {
        return view.name_of({leaf, 0});
    }

    void inside(const GridView::Leaf& leaf) {
        const network::Cluster& cluster = *leaf.cluster;
        const std::string first = cluster.node_name(0);
        if (cluster.within_node) add({first, first}, *cluster.within_node);
        if (std::holds_alternative<network::Cluster::KnownBroadcast>(cluster.inside))
            ++known_broadcasts_;
        const PLogP* local = cluster.local();
        if (local == nullptr || cluster.size < 2) return;
        add({first, cluster.node_name(1)}, *local);
        add({cluster.node_name(1), first}, *local);
        for (std::size_t node = 2; node < cluster.size; ++node) {
            const std::string other = cluster.node_name(node);
            const auto& [size, time] = local->latency.entries().front();
            const std::optional<Bytes> of =
                local->latency.is_constant() ? std::nullopt : std::optional(size);
            add({first, other}, Quantity::latency, time.value, of);
            add({other, first}, Quantity::latency, time.value, of);
        }
    }

    void share(const GridView& view, const GridView::Shared& shared) {
        std::vector<Pair> pairs;
        for (std::size_t i = 0; i < shared.pairs.rows(); ++i)
            for (std::size_t j = 0; j < shared.pairs.columns(); ++j)
                if (shared.pairs(i, j) != 0 && i != j)
                    pairs.push_back({coordinator(view, i), coordinator(view, j)});
        if (pairs.size() == 1) {
            add(pairs[0], Quantity::bandwidth, shared.capacity.value / 2, {}, pairs);
            return;
        }
        double left = shared.capacity.value;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
            std::vector<Pair> others = pairs;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(p));
            const double part = left / static_cast<double>(pairs.size() - p);
            add(pairs[p], Quantity::bandwidth, part, {}, std::move(others));
            left -= part;
        }
    }

    Time at_;
    std::string by_;
    std::size_t known_broadcasts_ = 0;
    Statements said_;
};

}  // namespace

Statements statements_of(const network::Network& network, Time at, const std::string& by,
                         const std::string& source) {
    Stater stater(at, by);
    if (const auto* pairwise = network.pairwise())
        stater.pairwise(*pairwise);
    else if (const auto* grid = network.grid())
        stater.grid(*grid);
    else
        throw InputError(source, "model",
                         fmt::format("a {} network states nothing of pairs; pairwise or grid was "
                                     "expected",
                                     network.model_name()));
    return std::move(stater).result();
}

}  // namespace espalier::directory
