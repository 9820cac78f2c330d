#include "simulate/rank_fabric.hpp"

#include "core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace espalier::simulate {

namespace {

/// Longer than any message: what its bytes take hides all else.
constexpr Bytes any_size{std::uint64_t{1} << 50U};

class RankFabric final : public Fabric {
public:
    RankFabric(const network::GridView& view, std::vector<network::GridView::Place> places,
               network::Unstated unstated)
        : view_(view), places_(std::move(places)) {
        const std::size_t leaves = view.leaves().size();
        links_ = Matrix<const network::PLogP*>(leaves, leaves, nullptr);
        for (std::size_t i = 0; i < leaves; ++i)
            for (std::size_t j = 0; j < leaves; ++j) links_(i, j) = view.link(i, j);
        before_ = Matrix<std::uint32_t>(leaves, leaves, 0);
        draws_ = Matrix<std::vector<std::uint32_t>>(leaves, leaves);
        add_shared();
        if (unstated == network::Unstated::shared) presume_shared();
        if (states_caps()) add_caps();
    }

    [[nodiscard]] std::size_t nodes() const override { return places_.size(); }

    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        const network::PLogP& found = link(from, to);
        const Seconds gap = found.gap(size);
        return {gap, found.latency(size),
                has_caps_ ? std::min(gap, found.gap(Bytes(1))) : Seconds(0)};
    }

    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        return floor_of(link(from, to), size);
    }

    [[nodiscard]] Sharing sharing(std::size_t from, std::size_t to) const override {
        Sharing sharing = sharing_of(view_.grid().transport, link(from, to).latency(Bytes(1)),
                                     latency_back(from, to));
        const bool stays = places_[from] == places_[to];
        sharing.before = before_(places_[from].leaf, places_[to].leaf);
        if (has_caps_ && !stays && cluster_of(from).egress) ++sharing.before;
        return sharing;
    }

    /// What stays on a node needs no connection.
    [[nodiscard]] Window window(std::size_t from, std::size_t to) const override {
        if (!view_.grid().transport.restart || places_[from] == places_[to]) return {};
        return window_of(view_.grid().transport, link(from, to).latency(Bytes(1)),
                         latency_back(from, to));
    }

    [[nodiscard]] Seconds least_restart() const override {
        return view_.grid().transport.restart.value_or(Seconds(infinity));
    }

    [[nodiscard]] Seconds message_time() const override { return view_.grid().message_time; }
    [[nodiscard]] std::span<const Capacity> capacities() const override { return capacities_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        if (has_caps_) {
            const std::size_t pair = from * places_.size() + to;
            return std::span(capped_).subspan(capped_first_[pair],
                                              capped_first_[pair + 1] - capped_first_[pair]);
        }
        if (capacities_.empty()) return {};
        return draws_(places_[from].leaf, places_[to].leaf);
    }

private:
    [[nodiscard]] const network::Cluster& cluster_of(std::size_t rank) const {
        return *view_.leaves()[places_[rank].leaf].cluster;
    }

    /// Of the shortest message from `to` to `from`; where it is not known, of one there.
    [[nodiscard]] Seconds latency_back(std::size_t from, std::size_t to) const {
        const bool stays = places_[from] == places_[to];
        const network::PLogP* back = stays ? nullptr : links_(places_[to].leaf, places_[from].leaf);
        return (back != nullptr ? *back : link(from, to)).latency(Bytes(1));
    }

    void add_shared() {
        const std::size_t leaves = view_.leaves().size();
        for (const auto& shared : view_.shared()) {
            const std::uint32_t id = add(shared.name, shared.capacity);
            const bool at_receivers = is_at_receivers(shared);
            capacities_[id].incast_threshold =
                incast_threshold(view_.grid().transport, shared.capacity);
            for (std::size_t i = 0; i < leaves; ++i)
                for (std::size_t j = 0; j < leaves; ++j)
                    if (shared.pairs(i, j) != 0) {
                        auto& draws = draws_(i, j);
                        if (at_receivers) {
                            draws.push_back(id);
                        } else {
                            draws.insert(draws.begin(), id);
                            ++before_(i, j);
                        }
                    }
        }
    }

    /// One stream is the most that was seen between two clusters of which nothing is stated.
    void presume_shared() {
        const auto& leaves = view_.leaves();
        std::vector<std::size_t> ranks(leaves.size(), 0);
        for (const auto& place : places_) ++ranks[place.leaf];
        struct Path {
            double rate = 0;                          ///< bytes per second
            std::array<std::size_t, 2> rank_pairs{};  ///< in each direction
            std::vector<std::pair<std::size_t, std::size_t>> leaf_pairs;
        };
        // By the two clusters' paths, the lesser first.
        std::map<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>, Path> paths;
        for (std::size_t i = 0; i < leaves.size(); ++i)
            for (std::size_t j = 0; j < leaves.size(); ++j) {
                const network::PLogP* link = i == j ? nullptr : links_(i, j);
                if (link == nullptr || link->gap.is_constant() || !draws_(i, j).empty() ||
                    ranks[i] * ranks[j] == 0)
                    continue;
                const auto differ = std::ranges::mismatch(leaves[i].path, leaves[j].path).in1 -
                                    leaves[i].path.begin() + 1;
                const std::vector from(leaves[i].path.begin(), leaves[i].path.begin() + differ);
                const std::vector to(leaves[j].path.begin(), leaves[j].path.begin() + differ);
                Path& path = paths[std::minmax(from, to)];
                path.rate = std::max(path.rate, 1 / link->gap.least_per_byte(any_size));
                path.rank_pairs[i < j ? 0 : 1] += ranks[i] * ranks[j];
                path.leaf_pairs.emplace_back(i, j);
            }
        for (const auto& [clusters, path] : paths) {
            if (std::ranges::max(path.rank_pairs) < 2) continue;
            const std::uint32_t id = add(
                fmt::format("between {} and {}", name_at(clusters.first), name_at(clusters.second)),
                BytesPerSecond(path.rate));
            capacities_[id].presumed = true;
            for (const auto& [i, j] : path.leaf_pairs) draws_(i, j).push_back(id);
        }
    }

    [[nodiscard]] const std::string& name_at(const std::vector<std::size_t>& path) const {
        const network::GridNetwork* grid = &view_.grid();
        for (std::size_t level = 0; level + 1 < path.size(); ++level)
            grid = grid->clusters[path[level]].grid();
        return grid->clusters[path.back()].name;
    }

    /// Whether a shared capacity lies at the receivers' end. It lies at the end whose clusters are
    /// nearer to each other.
    [[nodiscard]] bool is_at_receivers(const network::GridView::Shared& shared) const {
        const std::size_t leaves = view_.leaves().size();
        std::vector<char> sends(leaves, 0);
        std::vector<char> receives(leaves, 0);
        for (std::size_t i = 0; i < leaves; ++i)
            for (std::size_t j = 0; j < leaves; ++j)
                if (shared.pairs(i, j) != 0) sends[i] = receives[j] = 1;
        return spread(receives) < spread(sends);
    }

    [[nodiscard]] Seconds spread(const std::vector<char>& among) const {
        Seconds most;
        for (std::size_t i = 0; i < among.size(); ++i)
            for (std::size_t j = 0; j < among.size(); ++j)
                if (i != j && among[i] != 0 && among[j] != 0 && links_(i, j) != nullptr)
                    most = std::max(most, links_(i, j)->latency(Bytes(1)));
        return most;
    }

    std::uint32_t add(std::string name, BytesPerSecond limit) {
        capacities_.push_back({std::move(name), limit.value});
        return static_cast<std::uint32_t>(capacities_.size() - 1);
    }

    [[nodiscard]] bool states_caps() const {
        for (std::size_t rank = 0; rank < places_.size(); ++rank)
            if (cluster_of(rank).egress || cluster_of(rank).ingress) return true;
        return false;
    }

    /// Adds the capacities of what each node sends and receives, and to each pair of ranks those
    /// that it draws on.
    void add_caps() {
        struct Caps {
            std::optional<std::uint32_t> egress;
            std::optional<std::uint32_t> ingress;
        };
        std::map<network::GridView::Place, Caps> caps;
        for (std::size_t rank = 0; rank < places_.size(); ++rank) {
            const auto [found, is_new] = caps.try_emplace(places_[rank]);
            if (!is_new) continue;
            const network::Cluster& cluster = cluster_of(rank);
            const std::string name = view_.name_of(places_[rank]);
            if (cluster.egress) found->second.egress = add(name + " egress", *cluster.egress);
            if (cluster.ingress) found->second.ingress = add(name + " ingress", *cluster.ingress);
        }
        has_caps_ = true;
        capped_first_.push_back(0);
        for (const auto& from : places_)
            for (const auto& to : places_) {
                const std::span<const std::uint32_t> shared = draws_(from.leaf, to.leaf);
                const auto near = shared.first(before_(from.leaf, to.leaf));
                const auto far = shared.subspan(near.size());
                capped_.insert(capped_.end(), near.begin(), near.end());
                if (from != to && caps[from].egress) capped_.push_back(*caps[from].egress);
                capped_.insert(capped_.end(), far.begin(), far.end());
                if (from != to && caps[to].ingress) capped_.push_back(*caps[to].ingress);
                capped_first_.push_back(static_cast<std::uint32_t>(capped_.size()));
            }
    }

    [[nodiscard]] const network::PLogP& link(std::size_t from, std::size_t to) const {
        const auto a = places_[from];
        const auto b = places_[to];
        const auto& within = view_.leaves()[a.leaf].cluster->within_node;
        if (a == b && within) return *within;
        if (const network::PLogP* between = links_(a.leaf, b.leaf)) return *between;
        throw InputError(fmt::format("the cost from '{}' to '{}' is not known", view_.name_of(a),
                                     view_.name_of(b)));
    }

    const network::GridView& view_;
    std::vector<network::GridView::Place> places_;
    Matrix<const network::PLogP*> links_;
    std::vector<Capacity> capacities_;
    /// The capacities shared between each two leaves, those at the sender's end first.
    Matrix<std::vector<std::uint32_t>> draws_;
    Matrix<std::uint32_t> before_;  ///< by leaves: how much of that is there
    bool has_caps_ = false;
    /// Where the capacities that a pair draws on begin in capped_, by pairs of ranks, row by row;
    /// empty unless nodes have caps.
    std::vector<std::uint32_t> capped_first_;
    std::vector<std::uint32_t> capped_;
};

}  // namespace

std::unique_ptr<const Fabric> make_rank_fabric(const network::GridView& view,
                                               std::vector<network::GridView::Place> places,
                                               std::optional<network::Unstated> unstated) {
    return std::make_unique<RankFabric>(view, std::move(places),
                                        unstated.value_or(view.grid().unstated));
}

}  // namespace espalier::simulate
