#pragma once

#include "network/grid_view.hpp"
#include "network/spread.hpp"
#include "simulate/fabric.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace espalier::simulate {

/// A grid as the ranks of a job see it: rank r sits at places[r]. Ranks of one node talk at the
/// cluster's `within_node` cost, or at its local cost where that is not known.
/// Where clusters say what their nodes send and receive in all, all ranks of a node share that, but
/// for what stays on it; and of several messages under way at once each has the overhead of the
/// shortest. What is unstated is as the grid says, unless `unstated` says otherwise: what is
/// then shared are capacities that are `presumed`, between clusters that several pairs of ranks
/// connect.
/// The grid under the view must outlive the fabric.
[[nodiscard]] std::unique_ptr<const Fabric> make_rank_fabric(
    const network::GridView& view, std::vector<network::GridView::Place> places,
    std::optional<network::Unstated> unstated = std::nullopt);

/// The same in each of these scenarios, which must outlive them, as the view must.
[[nodiscard]] std::vector<std::unique_ptr<const Fabric>> make_rank_fabrics(
    const network::GridView& view, std::vector<network::GridView::Place> places,
    std::span<const network::Scenario> scenarios);

}  // namespace espalier::simulate
