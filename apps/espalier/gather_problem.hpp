#pragma once

#include "all_nodes.hpp"
#include "plan/gather_plan.hpp"
#include "planning.hpp"

#include <memory>
#include <string>

namespace espalier::cli {

/// An all-gather between the nodes of a network; in a grid, those of all clusters.
class GatherProblem final : public PlanningProblem {
public:
    explicit GatherProblem(Setting setting);

    [[nodiscard]] std::unique_ptr<Answer> plan(const std::string& algorithm) const override;

private:
    void refuse_what_does_not_apply() const;

    AllNodes nodes_;
    plan::GatherRequest request_;
};

}  // namespace espalier::cli
