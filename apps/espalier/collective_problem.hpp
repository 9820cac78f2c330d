#pragma once

#include "network/grid_view.hpp"
#include "plan/collective_plan.hpp"
#include "planning.hpp"

#include <memory>
#include <string>

namespace espalier::cli {

/// A collective between all nodes of a network at once; in a grid, those of all clusters.
class CollectiveProblem final : public PlanningProblem {
public:
    /// `special` plans the same by an algorithm of a family of its own (rings, or messages that
    /// go straight to their receivers); nullptr: there is none, or it can't serve what is asked
    /// for.
    CollectiveProblem(Setting setting, std::unique_ptr<PlanningProblem> special);

    void require_algorithm(const std::string& name) const override;
    [[nodiscard]] bool shows(const plan::Algorithm& algorithm) const override;
    [[nodiscard]] std::unique_ptr<Answer> plan(const std::string& algorithm) const override;

private:
    void refuse_what_does_not_apply() const;
    [[nodiscard]] plan::CollectiveRequest read_request() const;
    void read_sizes(plan::CollectiveRequest& request) const;
    /// Whether more is asked for than composed plans know of.
    [[nodiscard]] bool has_demands() const;
    [[nodiscard]] std::unique_ptr<Answer> plan_composed(const std::string& algorithm) const;
    [[nodiscard]] std::unique_ptr<Answer> plan_best() const;

    std::unique_ptr<PlanningProblem> special_;
    network::GridNetwork grid_;
    network::GridView view_;
    plan::Job job_;
    plan::CollectiveRequest request_;
};

}  // namespace espalier::cli
