#include "frontend/grid_options.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "network/convert.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::frontend {

namespace {

using network::Cluster;
using network::GridNetwork;

bool depends_on_size(const network::PLogP& link) {
    return !link.latency.is_constant() || !link.gap.is_constant();
}

}  // namespace

bool depends_on_size(const GridNetwork& grid) {
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const Cluster& cluster = grid.clusters[i];
        if (const auto* local = cluster.local(); local && depends_on_size(*local)) return true;
        if (const auto* inner = cluster.grid(); inner && depends_on_size(*inner)) return true;
        for (std::size_t j = 0; j < grid.size(); ++j)
            if (i != j && grid.links(i, j) && depends_on_size(*grid.links(i, j))) return true;
    }
    return !grid.shared.empty();
}

GridNetwork as_grid(const network::Network& network) {
    if (const auto* pairwise = network.pairwise()) return to_grid(*pairwise);
    if (const auto* links = network.links()) return to_grid(*links);
    return *network.grid();
}

std::size_t read_root(const ProblemOptions& options, const network::GridView& view) {
    if (options.root.empty()) return 0;
    const auto& clusters = view.grid().clusters;
    const auto cluster = std::ranges::find(clusters, options.root, &Cluster::name);
    if (cluster != clusters.end()) {
        const auto index = static_cast<std::size_t>(cluster - clusters.begin());
        const auto leaf = std::ranges::find_if(
            view.leaves(), [&](const auto& candidate) { return candidate.path.front() == index; });
        return leaf->first_node;
    }
    const auto place = view.find(options.root);
    if (!place)
        throw InputError("--root", "",
                         fmt::format("{} has no cluster or node named '{}'", options.network.name,
                                     options.root));
    return view.leaves()[place->leaf].first_node + place->node;
}

Bytes read_bytes(const ProblemOptions& options, const GridNetwork& grid) {
    if (!options.bytes.empty()) return parse_bytes(options.bytes, "--bytes");
    if (depends_on_size(grid))
        throw InputError(
            "--bytes", "",
            fmt::format("needed: costs of {} depend on the message size", options.network.name));
    return Bytes(1);
}

std::optional<plan::Segmenting> read_segmenting(const ProblemOptions& options) {
    using Mode = plan::Segmenting::Mode;
    if (options.segment.empty()) return std::nullopt;
    if (options.segment == "none") return plan::Segmenting{};
    if (options.segment == "auto") return plan::Segmenting{Mode::automatic, {}};
    const Bytes bytes = parse_bytes(options.segment, "--segment");
    if (bytes.value == 0) throw InputError("--segment", "", "a segment has at least one byte");
    return plan::Segmenting{Mode::fixed, bytes};
}

}  // namespace espalier::frontend
