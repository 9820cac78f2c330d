#include "network/grid_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace espalier::network {

namespace {

void collect(const GridNetwork& grid, std::vector<std::size_t>& path,
             std::vector<GridView::Leaf>& leaves) {
    for (std::size_t c = 0; c < grid.size(); ++c) {
        path.push_back(c);
        const Cluster& cluster = grid.clusters[c];
        if (const GridNetwork* inner = cluster.grid()) {
            collect(*inner, path, leaves);
        } else {
            const std::size_t first =
                leaves.empty() ? 0 : leaves.back().first_node + leaves.back().cluster->size;
            leaves.push_back({&cluster, path, first});
        }
        path.pop_back();
    }
}

bool below(const std::vector<std::size_t>& path, const std::vector<std::size_t>& prefix,
           std::size_t last) {
    return path.size() > prefix.size() && path[prefix.size()] == last &&
           std::equal(prefix.begin(), prefix.end(), path.begin());
}

/// Shared capacities of this level and of those inside it; `prefix` leads to this grid.
void collect_shared(const GridNetwork& grid, std::vector<std::size_t>& prefix,
                    const std::vector<GridView::Leaf>& leaves,
                    std::vector<GridView::Shared>& found) {
    for (const SharedCapacity& shared : grid.shared) {
        GridView::Shared flat{shared.name, shared.capacity,
                              Matrix<char>(leaves.size(), leaves.size(), 0), shared.spread};
        for (const auto& [from, to] : shared.pairs)
            for (std::size_t i = 0; i < leaves.size(); ++i)
                for (std::size_t j = 0; j < leaves.size(); ++j)
                    if (below(leaves[i].path, prefix, from) && below(leaves[j].path, prefix, to))
                        flat.pairs(i, j) = 1;
        found.push_back(std::move(flat));
    }
    for (std::size_t c = 0; c < grid.size(); ++c) {
        if (const GridNetwork* inner = grid.clusters[c].grid()) {
            prefix.push_back(c);
            collect_shared(*inner, prefix, leaves, found);
            prefix.pop_back();
        }
    }
}

}  // namespace

GridView::GridView(const GridNetwork& grid) : grid_(&grid) {
    std::vector<std::size_t> path;
    collect(grid, path, leaves_);
    collect_shared(grid, path, leaves_, shared_);
    nodes_ = leaves_.back().first_node + leaves_.back().cluster->size;
}

const PLogP* GridView::link(std::size_t from, std::size_t to) const {
    if (from == to) return leaves_[from].cluster->local();
    const auto& a = leaves_[from].path;
    const auto& b = leaves_[to].path;
    const GridNetwork* level = grid_;
    std::size_t depth = 0;
    while (a[depth] == b[depth]) level = level->clusters[a[depth++]].grid();
    const auto& link = level->links(a[depth], b[depth]);
    return link ? &*link : nullptr;
}

GridView::Place GridView::place_of(std::size_t node) const {
    assert(node < nodes_);
    const auto after =
        std::upper_bound(leaves_.begin(), leaves_.end(), node,
                         [](std::size_t n, const Leaf& leaf) { return n < leaf.first_node; });
    const auto leaf = static_cast<std::size_t>(after - leaves_.begin()) - 1;
    return {leaf, node - leaves_[leaf].first_node};
}

std::string GridView::name_of(Place place) const {
    return leaves_[place.leaf].cluster->node_name(place.node);
}

std::optional<double> GridView::cycle_time_of(Place place) const {
    const auto& times = leaves_[place.leaf].cluster->cycle_times;
    return times.empty() ? std::nullopt : std::optional(times[place.node]);
}

std::optional<GridView::Place> GridView::find(std::string_view name) const {
    std::optional<Place> similar;
    for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
        for (std::size_t node = 0; node < leaves_[leaf].cluster->size; ++node) {
            const std::string candidate = name_of({leaf, node});
            if (candidate == name) return Place{leaf, node};
            if (!similar && same_host(candidate, name)) similar = Place{leaf, node};
        }
    }
    return similar;
}

bool same_host(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const auto short_of = [](std::string_view part, std::string_view whole) {
        return !part.empty() && part.find('.') == std::string_view::npos &&
               whole.size() > part.size() && whole.starts_with(part) && whole[part.size()] == '.';
    };
    return short_of(a, b) || short_of(b, a);
}

}  // namespace espalier::network
