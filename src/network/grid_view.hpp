#pragma once

#include "network/network.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace espalier::network {

/// A nested grid seen from its leaves: the clusters that hold nodes, whatever their depth.
class GridView {
public:
    struct Leaf {
        const Cluster* cluster = nullptr;
        std::vector<std::size_t> path;  ///< index at each level, outermost first
        std::size_t first_node = 0;     ///< nodes are numbered leaf by leaf
    };
    /// A shared capacity of any level, in terms of leaves.
    struct Shared {
        std::string name;
        BytesPerSecond capacity;
        Matrix<char> pairs;                           ///< 1 where leaf i to leaf j draws on it
        std::optional<double> spread = std::nullopt;  ///< as stated
    };
    /// The place of a node.
    struct Place {
        std::size_t leaf = 0;
        std::size_t node = 0;  ///< within its leaf
        friend auto operator<=>(const Place&, const Place&) = default;
    };

    /// The grid must outlive the view.
    explicit GridView(const GridNetwork& grid);

    [[nodiscard]] const GridNetwork& grid() const { return *grid_; }
    [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
    [[nodiscard]] const std::vector<Shared>& shared() const { return shared_; }
    [[nodiscard]] std::size_t nodes() const { return nodes_; }
    /// The link from one leaf to another: that of the outermost level at which they differ; inside
    /// one leaf, its `local`. nullptr where it is not known.
    [[nodiscard]] const PLogP* link(std::size_t from, std::size_t to) const;
    [[nodiscard]] Place place_of(std::size_t node) const;
    [[nodiscard]] std::string name_of(Place place) const;
    [[nodiscard]] std::optional<double> cycle_time_of(Place place) const;
    /// The node with this name; host names may be short on one side and full on the other.
    [[nodiscard]] std::optional<Place> find(std::string_view name) const;

private:
    const GridNetwork* grid_;
    std::vector<Leaf> leaves_;
    std::vector<Shared> shared_;
    std::size_t nodes_ = 0;
};

/// Whether two host names mean one host: equal, or one is the other's first label (`n1`,
/// `n1.site`).
[[nodiscard]] bool same_host(std::string_view a, std::string_view b);

}  // namespace espalier::network
