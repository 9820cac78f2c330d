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

/// Bytes per second of one stream.
double rate_of(const network::PLogP& link) { return 1 / link.gap.least_per_byte(any_size); }

/// What the fabrics of one job have in common, whatever its grid's costs turn out to be.
struct Structure {
    const network::GridView& view;
    std::vector<network::GridView::Place> places;
    Matrix<const network::PLogP*> links;  ///< between leaves, as stated
    /// The capacities shared between each two leaves, those at the sender's end first.
    Matrix<std::vector<std::uint32_t>> draws;
    Matrix<std::uint32_t> before;  ///< by leaves: how much of that is there
    /// What is shared by presumption: a capacity, and the pairs of leaves that draw on it.
    struct Presumed {
        std::uint32_t capacity = 0;
        std::vector<std::pair<std::size_t, std::size_t>> leaf_pairs;
    };
    std::vector<Presumed> presumed;
    std::vector<Capacity> capacities;  ///< as stated; the view's shared ones come first
    bool has_caps = false;
    /// Where the capacities that a pair draws on begin in `capped`, by pairs of ranks, row by row;
    /// empty unless nodes have caps.
    std::vector<std::uint32_t> capped_first;
    std::vector<std::uint32_t> capped;
};

class Builder {
public:
    Builder(const network::GridView& view, std::vector<network::GridView::Place> places,
            network::Unstated unstated)
        : built_{view, std::move(places), {}, {}, {}, {}, {}, false, {}, {}} {
        const std::size_t leaves = view.leaves().size();
        built_.links = Matrix<const network::PLogP*>(leaves, leaves, nullptr);
        for (std::size_t i = 0; i < leaves; ++i)
            for (std::size_t j = 0; j < leaves; ++j) built_.links(i, j) = view.link(i, j);
        built_.before = Matrix<std::uint32_t>(leaves, leaves, 0);
        built_.draws = Matrix<std::vector<std::uint32_t>>(leaves, leaves);
        add_shared();
        if (unstated == network::Unstated::shared) presume_shared();
        if (states_caps()) add_caps();
    }

    [[nodiscard]] std::shared_ptr<const Structure> structure() && {
        return std::make_shared<const Structure>(std::move(built_));
    }

private:
    [[nodiscard]] const network::Cluster& cluster_of(std::size_t rank) const {
        return *built_.view.leaves()[built_.places[rank].leaf].cluster;
    }

    void add_shared() {
        const std::size_t leaves = built_.view.leaves().size();
        for (const auto& shared : built_.view.shared()) {
            const std::uint32_t id = add(shared.name, shared.capacity);
            const bool at_receivers = is_at_receivers(shared);
            built_.capacities[id].incast_threshold =
                incast_threshold(built_.view.grid().transport, shared.capacity);
            for (std::size_t i = 0; i < leaves; ++i)
                for (std::size_t j = 0; j < leaves; ++j)
                    if (shared.pairs(i, j) != 0) {
                        auto& draws = built_.draws(i, j);
                        if (at_receivers) {
                            draws.push_back(id);
                        } else {
                            draws.insert(draws.begin(), id);
                            ++built_.before(i, j);
                        }
                    }
        }
    }

    /// One stream is the most that was seen between two clusters of which nothing is stated.
    void presume_shared() {
        const auto& leaves = built_.view.leaves();
        std::vector<std::size_t> ranks(leaves.size(), 0);
        for (const auto& place : built_.places) ++ranks[place.leaf];
        struct Path {
            double rate = 0;                          ///< bytes per second
            std::array<std::size_t, 2> rank_pairs{};  ///< in each direction
            std::vector<std::pair<std::size_t, std::size_t>> leaf_pairs;
        };
        // By the two clusters' paths, the lesser first.
        std::map<std::pair<std::vector<std::size_t>, std::vector<std::size_t>>, Path> paths;
        for (std::size_t i = 0; i < leaves.size(); ++i)
            for (std::size_t j = 0; j < leaves.size(); ++j) {
                const network::PLogP* link = i == j ? nullptr : built_.links(i, j);
                if (link == nullptr || link->gap.is_constant() || !built_.draws(i, j).empty() ||
                    ranks[i] * ranks[j] == 0)
                    continue;
                const auto differ = std::ranges::mismatch(leaves[i].path, leaves[j].path).in1 -
                                    leaves[i].path.begin() + 1;
                const std::vector from(leaves[i].path.begin(), leaves[i].path.begin() + differ);
                const std::vector to(leaves[j].path.begin(), leaves[j].path.begin() + differ);
                Path& path = paths[std::minmax(from, to)];
                path.rate = std::max(path.rate, rate_of(*link));
                path.rank_pairs[i < j ? 0 : 1] += ranks[i] * ranks[j];
                path.leaf_pairs.emplace_back(i, j);
            }
        for (const auto& [clusters, path] : paths) {
            if (std::ranges::max(path.rank_pairs) < 2) continue;
            const std::uint32_t id = add(
                fmt::format("between {} and {}", name_at(clusters.first), name_at(clusters.second)),
                BytesPerSecond(path.rate));
            built_.capacities[id].presumed = true;
            for (const auto& [i, j] : path.leaf_pairs) built_.draws(i, j).push_back(id);
            built_.presumed.push_back({id, path.leaf_pairs});
        }
    }

    [[nodiscard]] const std::string& name_at(const std::vector<std::size_t>& path) const {
        const network::GridNetwork* grid = &built_.view.grid();
        for (std::size_t level = 0; level + 1 < path.size(); ++level)
            grid = grid->clusters[path[level]].grid();
        return grid->clusters[path.back()].name;
    }

    /// Whether a shared capacity lies at the receivers' end. It lies at the end whose clusters are
    /// nearer to each other.
    [[nodiscard]] bool is_at_receivers(const network::GridView::Shared& shared) const {
        const std::size_t leaves = built_.view.leaves().size();
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
                if (i != j && among[i] != 0 && among[j] != 0 && built_.links(i, j) != nullptr)
                    most = std::max(most, built_.links(i, j)->latency(Bytes(1)));
        return most;
    }

    std::uint32_t add(std::string name, BytesPerSecond limit) {
        built_.capacities.push_back({std::move(name), limit.value});
        return static_cast<std::uint32_t>(built_.capacities.size() - 1);
    }

    [[nodiscard]] bool states_caps() const {
        for (std::size_t rank = 0; rank < built_.places.size(); ++rank)
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
        for (std::size_t rank = 0; rank < built_.places.size(); ++rank) {
            const auto [found, is_new] = caps.try_emplace(built_.places[rank]);
            if (!is_new) continue;
            const network::Cluster& cluster = cluster_of(rank);
            const std::string name = built_.view.name_of(built_.places[rank]);
            if (cluster.egress) found->second.egress = add(name + " egress", *cluster.egress);
            if (cluster.ingress) found->second.ingress = add(name + " ingress", *cluster.ingress);
        }
        built_.has_caps = true;
        built_.capped_first.push_back(0);
        for (const auto& from : built_.places)
            for (const auto& to : built_.places) {
                const std::span<const std::uint32_t> shared = built_.draws(from.leaf, to.leaf);
                const auto near = shared.first(built_.before(from.leaf, to.leaf));
                const auto far = shared.subspan(near.size());
                built_.capped.insert(built_.capped.end(), near.begin(), near.end());
                if (from != to && caps[from].egress) built_.capped.push_back(*caps[from].egress);
                built_.capped.insert(built_.capped.end(), far.begin(), far.end());
                if (from != to && caps[to].ingress) built_.capped.push_back(*caps[to].ingress);
                built_.capped_first.push_back(static_cast<std::uint32_t>(built_.capped.size()));
            }
    }

    Structure built_;
};

/// The grid as it is stated, or as it turns out in a scenario, which must outlive this.
class RankFabric final : public Fabric {
public:
    explicit RankFabric(std::shared_ptr<const Structure> structure,
                        const network::Scenario* scenario = nullptr)
        : structure_(std::move(structure)),
          scenario_(scenario),
          capacities_(structure_->capacities) {
        if (scenario_ == nullptr) return;
        for (std::size_t c = 0; c < scenario_->shared.size(); ++c) {
            capacities_[c].limit /= scenario_->shared[c];
            capacities_[c].incast_threshold /= scenario_->shared[c];
        }
        for (const auto& [capacity, leaf_pairs] : structure_->presumed) {
            double rate = 0;
            for (const auto& [i, j] : leaf_pairs)
                rate = std::max(rate, rate_of(*structure_->links(i, j)) / scenario_->links(i, j));
            capacities_[capacity].limit = rate;
        }
    }

    [[nodiscard]] std::size_t nodes() const override { return structure_->places.size(); }

    [[nodiscard]] MessageCost cost(std::size_t from, std::size_t to, Bytes size) const override {
        const Link found = link(from, to);
        const Seconds gap = found.gap(size);
        return {gap, found.latency(size),
                structure_->has_caps ? std::min(gap, found.gap(Bytes(1))) : Seconds(0)};
    }

    [[nodiscard]] CostFloor floor(std::size_t from, std::size_t to, Bytes size) const override {
        const Link found = link(from, to);
        const CostFloor stated = floor_of(found.stated, size);
        return {stated.latency * found.factor, stated.seconds_per_byte * found.factor,
                stated.gap * found.factor, stated.startup * found.factor};
    }

    [[nodiscard]] Sharing sharing(std::size_t from, std::size_t to) const override {
        Sharing sharing =
            sharing_of(transport(), link(from, to).latency(Bytes(1)), latency_back(from, to));
        const bool stays = place(from) == place(to);
        sharing.before = structure_->before(place(from).leaf, place(to).leaf);
        if (structure_->has_caps && !stays && view().leaves()[place(from).leaf].cluster->egress)
            ++sharing.before;
        return sharing;
    }

    /// What stays on a node needs no connection.
    [[nodiscard]] Window window(std::size_t from, std::size_t to) const override {
        if (!transport().restart || place(from) == place(to)) return {};
        return window_of(transport(), link(from, to).latency(Bytes(1)), latency_back(from, to));
    }

    [[nodiscard]] Seconds least_restart() const override {
        return transport().restart.value_or(Seconds(infinity));
    }

    [[nodiscard]] Seconds message_time() const override { return view().grid().message_time; }
    [[nodiscard]] std::span<const Capacity> capacities() const override { return capacities_; }
    [[nodiscard]] std::span<const std::uint32_t> draws(std::size_t from,
                                                       std::size_t to) const override {
        if (structure_->has_caps) {
            const auto& first = structure_->capped_first;
            const std::size_t pair = from * nodes() + to;
            return std::span(structure_->capped)
                .subspan(first[pair], first[pair + 1] - first[pair]);
        }
        if (capacities_.empty()) return {};
        return structure_->draws(place(from).leaf, place(to).leaf);
    }

private:
    [[nodiscard]] const network::GridView& view() const { return structure_->view; }
    [[nodiscard]] network::GridView::Place place(std::size_t rank) const {
        return structure_->places[rank];
    }
    [[nodiscard]] const network::Transport& transport() const { return view().grid().transport; }

    /// What a link's times are multiplied by.
    struct Link {
        const network::PLogP& stated;
        double factor;

        [[nodiscard]] Seconds latency(Bytes size) const { return stated.latency(size) * factor; }
        [[nodiscard]] Seconds gap(Bytes size) const { return stated.gap(size) * factor; }
    };
    [[nodiscard]] Link link(std::size_t from, std::size_t to) const {
        const auto a = place(from);
        const auto b = place(to);
        const auto& within = view().leaves()[a.leaf].cluster->within_node;
        if (a == b && within) return {*within, scenario_ ? scenario_->within_node[a.leaf] : 1};
        if (const network::PLogP* between = structure_->links(a.leaf, b.leaf))
            return {*between, scenario_ ? scenario_->links(a.leaf, b.leaf) : 1};
        throw InputError(fmt::format("the cost from '{}' to '{}' is not known", view().name_of(a),
                                     view().name_of(b)));
    }

    /// Of the shortest message from `to` to `from`; where it is not known, of one there.
    [[nodiscard]] Seconds latency_back(std::size_t from, std::size_t to) const {
        const bool is_known = place(from) != place(to) &&
                              structure_->links(place(to).leaf, place(from).leaf) != nullptr;
        return (is_known ? link(to, from) : link(from, to)).latency(Bytes(1));
    }

    std::shared_ptr<const Structure> structure_;
    const network::Scenario* scenario_;
    std::vector<Capacity> capacities_;
};

}  // namespace

std::unique_ptr<const Fabric> make_rank_fabric(const network::GridView& view,
                                               std::vector<network::GridView::Place> places,
                                               std::optional<network::Unstated> unstated) {
    return std::make_unique<RankFabric>(
        Builder(view, std::move(places), unstated.value_or(view.grid().unstated)).structure());
}

std::vector<std::unique_ptr<const Fabric>> make_rank_fabrics(
    const network::GridView& view, std::vector<network::GridView::Place> places,
    std::span<const network::Scenario> scenarios) {
    const auto structure = Builder(view, std::move(places), view.grid().unstated).structure();
    std::vector<std::unique_ptr<const Fabric>> fabrics;
    for (const network::Scenario& scenario : scenarios)
        fabrics.push_back(std::make_unique<RankFabric>(structure, &scenario));
    return fabrics;
}

}  // namespace espalier::simulate
