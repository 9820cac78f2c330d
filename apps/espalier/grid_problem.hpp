#pragma once

#include "network/grid_view.hpp"
#include "plan/job.hpp"
#include "planning.hpp"

#include <optional>

namespace espalier::cli {

/// A collective on a grid, or on a pairwise network, each of whose nodes counts as a cluster.
class GridProblem final : public PlanningProblem {
public:
    explicit GridProblem(Setting setting);

    void require_algorithm(const std::string& name) const override;
    [[nodiscard]] bool shows(const plan::Algorithm& algorithm) const override;
    [[nodiscard]] std::unique_ptr<Answer> plan(const std::string& algorithm) const override;
    void warn_of_assumptions() const override;

private:
    [[nodiscard]] plan::Segmenting segmenting(const std::string& algorithm) const;
    void require_local() const;
    /// Whether what is planned between ranks is planned between clusters, too: each is one rank.
    [[nodiscard]] bool knows_ranks() const;
    [[nodiscard]] plan::JobRequest job_request(const std::string& algorithm) const;
    [[nodiscard]] schedule::Plan plan_composed(const std::string& algorithm) const;
    /// The fastest of those that `auto` takes and that are made between ranks.
    [[nodiscard]] std::optional<schedule::Plan> best_composed() const;
    [[nodiscard]] std::unique_ptr<Answer> answer(schedule::Plan plan) const;

    network::GridNetwork grid_;
    network::GridView view_;
    plan::Job job_;
    plan::JobRequest request_;
};

}  // namespace espalier::cli
