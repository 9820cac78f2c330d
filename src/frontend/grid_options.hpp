#pragma once

#include "frontend/problem.hpp"
#include "network/grid_view.hpp"
#include "network/network.hpp"
#include "plan/request.hpp"

#include <cstddef>
#include <optional>

namespace espalier::frontend {

/// Options and conversions that plans on grids have in common, whatever the collective.

/// A pairwise or physical network as clusters of one node each.
[[nodiscard]] network::GridNetwork as_grid(const network::Network& network);

/// The node that `--root` names, by its number in the view: a cluster's name stands for its first
/// node, and the first of all is taken where there is no such option. Throws InputError for a name
/// that nothing bears.
[[nodiscard]] std::size_t read_root(const ProblemOptions& options, const network::GridView& view);

/// Whether any of its costs does, by tables, bandwidths or shared capacities.
[[nodiscard]] bool depends_on_size(const network::GridNetwork& grid);

/// `--bytes`, or 1 where it is left out and no cost depends on the size. Throws InputError where
/// one does.
[[nodiscard]] Bytes read_bytes(const ProblemOptions& options, const network::GridNetwork& grid);

/// `--segment`; nullopt where it is left out.
[[nodiscard]] std::optional<plan::Segmenting> read_segmenting(const ProblemOptions& options);

}  // namespace espalier::frontend
