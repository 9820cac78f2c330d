#pragma once

#include "network/grid_view.hpp"
#include "simulate/fabric.hpp"

namespace espalier::simulate {

/// A grid as the ranks of a job see it: rank r sits at places[r]. Ranks of one node talk at the
/// cluster's `within_node` cost, or at its local cost where that is not known.
/// Where clusters say what their nodes send and receive in all, all ranks of a node share that, but
/// for what stays on it; and of several messages under way at once each has the overhead of the
/// shortest.
/// The grid under the view must outlive the fabric.
[[nodiscard]] std::unique_ptr<const Fabric> make_rank_fabric(
    const network::GridView& view, std::vector<network::GridView::Place> places);

}  // namespace espalier::simulate
