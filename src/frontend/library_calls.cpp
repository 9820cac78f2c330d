#include "frontend/library_calls.hpp"

#include "core/error.hpp"
#include "frontend/grid_options.hpp"
#include "frontend/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace espalier::frontend {

namespace {

using network::Cluster;
using network::GridNetwork;
using network::PLogP;

/// The link, of any level, over which a message is there first; nullptr where none is known.
const PLogP* fastest_link(const GridNetwork& grid) {
    constexpr Bytes message{65'536};
    const PLogP* fastest = nullptr;
    const auto consider = [&](const PLogP* link) {
        if (link == nullptr) return;
        if (fastest == nullptr || link->delivery(message) < fastest->delivery(message))
            fastest = link;
    };
    for (const Cluster& cluster : grid.clusters) {
        if (cluster.within_node) consider(&*cluster.within_node);
        consider(cluster.local());
        if (const GridNetwork* inner = cluster.grid()) consider(fastest_link(*inner));
    }
    for (std::size_t i = 0; i < grid.size(); ++i)
        for (std::size_t j = 0; j < grid.size(); ++j)
            if (grid.links(i, j)) consider(&*grid.links(i, j));
    return fastest;
}

/// Has ranks of one node talk at this cost where nothing is known of that.
void presume_within_nodes(GridNetwork& grid, const PLogP& link) {
    for (Cluster& cluster : grid.clusters) {
        if (const GridNetwork* inner = cluster.grid()) {
            GridNetwork presumed = *inner;
            presume_within_nodes(presumed, link);
            cluster.inside = std::make_shared<const GridNetwork>(std::move(presumed));
        } else if (!cluster.within_node && cluster.local() == nullptr) {
            cluster.within_node = link;
        }
    }
}

}  // namespace

using schedule::Kind;

GridNetwork read_hosts(const LibraryCallOptions& options) {
    const network::Network network = options.network.read();
    if (network.sender() != nullptr)
        throw InputError(options.network.name, "model",
                         "a sender network does not say what lies between two hosts");
    GridNetwork grid = as_grid(network);
    if (const PLogP* const fastest = fastest_link(grid))
        presume_within_nodes(grid, PLogP(*fastest));
    return grid;
}

std::vector<Kind> read_collectives(const LibraryCallOptions& options,
                                   const std::function<std::string(Kind)>& refusal) {
    const std::string where = "--collectives";
    std::vector<Kind> kinds;
    for (const std::string& name : split_list(options.collectives, where)) {
        const auto kind = schedule::find_kind(name);
        if (!kind) throw InputError(where, "", fmt::format("'{}' is none", name));
        if (const std::string why = refusal(*kind); !why.empty()) throw InputError(where, "", why);
        if (std::ranges::find(kinds, *kind) == kinds.end()) kinds.push_back(*kind);
    }
    return kinds;
}

std::vector<Bytes> read_call_sizes(const LibraryCallOptions& options, std::string_view usual) {
    return parse_sizes(options.bytes.empty() ? usual : std::string_view(options.bytes), "--bytes");
}

}  // namespace espalier::frontend
