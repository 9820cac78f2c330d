#include "frontend/all_nodes.hpp"

#include "simulate/rank_fabric.hpp"

#include <utility>

namespace espalier::frontend {

AllNodes::AllNodes(const network::Network& network) {
    if (const auto* grid = network.grid()) {
        view_.emplace(*grid);
        std::vector<network::GridView::Place> places;
        for (std::size_t node = 0; node < view_->nodes(); ++node) {
            places.push_back(view_->place_of(node));
            names_.push_back(view_->name_of(places.back()));
        }
        fabric_ = simulate::make_rank_fabric(*view_, std::move(places));
        return;
    }
    for (std::size_t node = 0; node < size(network); ++node)
        names_.push_back(node_name(network, node));
    fabric_ = simulate::make_fabric(network);
}

}  // namespace espalier::frontend
