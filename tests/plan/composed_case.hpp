#pragma once

#include "network/grid_view.hpp"
#include "plan/composed/pieces.hpp"
#include "plan/site.hpp"
#include "simulate/rank_fabric.hpp"

#include <memory>

namespace espalier::plan::composed {

/// What planners get to see of a grid with a rank on every node. The grid has to outlive it.
struct Case {
    Case(const network::GridNetwork& grid, schedule::Kind kind)
        : view(grid), job(Job::everywhere(view)), site(site_of(job)) {
        fabric = simulate::make_rank_fabric(view, job.places);
        request.kind = kind;
        request.bytes = Bytes(1000);
        request.segmenting.mode = Segmenting::Mode::automatic;
    }
    [[nodiscard]] Problem problem() const {
        return {&job, &request, &site, fabric.get(), request.ports.value_or(1), 0};
    }

    network::GridView view;
    Job job;
    Site site;
    Request request;
    std::unique_ptr<const simulate::Fabric> fabric;
};

}  // namespace espalier::plan::composed
