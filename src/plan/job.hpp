#pragma once

#include "network/grid_view.hpp"

#include <string>
#include <vector>

namespace espalier::plan {

/// The processes of a job and the grid under them: rank r sits at places[r]; several ranks may
/// share a node, and nodes or whole clusters of the grid may be unused.
struct Job {
    const network::GridView* view = nullptr;
    std::vector<network::GridView::Place> places;

    /// A job of one rank on every node of the grid, in the grid's order.
    [[nodiscard]] static Job everywhere(const network::GridView& view);
};

/// The names of the ranks' nodes, numbered where a node has several.
[[nodiscard]] std::vector<std::string> rank_names(const Job& job);

}  // namespace espalier::plan
